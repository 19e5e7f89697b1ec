import { Kysely, PostgresDialect } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import pg from 'pg'
import { kyselyApp } from './kysely-app.ts'
import { kyselyQueries, type Tables } from './kysely-queries.ts'
import { openPool } from './open-pool.ts'
import type { Build } from './serve.ts'

export const build: Build = async (location) => {
  // Kysely's recipe for bigint columns.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const dialect = new PostgresDialect({ pool: openPool(location) })
  const db = new Kysely<Tables>({ dialect })
  return kyselyApp(db, kyselyQueries(db, jsonArrayFrom))
}
