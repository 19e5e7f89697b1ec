import { keepStatements } from 'fastify-crud'
import { type Dialect, PostgresDialect, SqliteDialect } from 'kysely'
import { openSqlite } from '../databases/open-sqlite.ts'
import { openPool } from './open-pool.ts'

/** How somebody who follows the README opens a database, a file or URL. */
export function dialectOf(location: string): Dialect {
  if (location.startsWith('postgres')) return new PostgresDialect({ pool: keepStatements(openPool(location)) })
  return new SqliteDialect({ database: keepStatements(openSqlite(location), { direct: true }) })
}
