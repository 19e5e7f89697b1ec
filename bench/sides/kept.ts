import { keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { isPostgres, openFile } from '../src/databases.ts'
import { serveCrud } from './serve-crud.ts'

/** This library before it had `openSqlite` and `openPostgres`, as its README had it then. */
export function start(location: string): Promise<number> {
  const dialect = isPostgres(location)
    ? new PostgresDialect({ pool: keepStatements(new pg.Pool({ connectionString: location })) })
    : new SqliteDialect({ database: keepStatements(openFile(location), { direct: true }) })
  return serveCrud(new Kysely({ dialect }))
}
