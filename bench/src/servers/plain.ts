import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { openSqlite } from '../databases/open-sqlite.ts'
import { crudApp } from './crud-app.ts'
import { openPool } from './open-pool.ts'
import type { Build } from './serve.ts'

/** This library on a Kysely instance of the application's own, as Kysely's documentation makes it: without `keepStatements`. */
export const build: Build = async (location) => {
  const isPostgres = location.startsWith('postgres')
  const dialect = isPostgres
    ? new PostgresDialect({ pool: openPool(location) })
    : new SqliteDialect({ database: openSqlite(location) })
  return crudApp(new Kysely({ dialect }))
}
