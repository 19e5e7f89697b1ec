import SqliteDriver from 'better-sqlite3'
import { keepStatements } from 'fastify-crud'
import { type Dialect, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase } from './databases.ts'

/**
 * A dialect on a database that is open already, with connections of its own whose statements are kept. For a Kysely instance
 * without a log: with `direct` that is another way to SQLite.
 */
export function keptDialect({ name, location }: OpenDatabase, options: { readonly direct?: boolean } = {}): Dialect {
  if (name === 'sqlite') return new SqliteDialect({ database: keepStatements(new SqliteDriver(location), options) })
  return new PostgresDialect({ pool: keepStatements(new pg.Pool({ connectionString: location, max: 3 })) })
}
