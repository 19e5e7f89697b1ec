import { Kysely, ParseJSONResultsPlugin, SqliteDialect } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/sqlite'
import { openSqlite } from '../databases/open-sqlite.ts'
import { kyselyApp } from './kysely-app.ts'
import { kyselyQueries, type Tables } from './kysely-queries.ts'
import type { Build } from './serve.ts'

export const build: Build = async (location) => {
  const dialect = new SqliteDialect({ database: openSqlite(location) })
  const db = new Kysely<Tables>({ dialect, plugins: [new ParseJSONResultsPlugin()] })
  return kyselyApp(db, kyselyQueries(db, jsonArrayFrom))
}
