import type { DatabaseName } from '../../model/database-name.ts'
import { type AnyKysely, databaseOf } from './database.ts'
import type { Dialect } from './dialect.ts'
import { engineOf } from './postgres/engine.ts'
import { postgres } from './postgres/postgres.ts'
import { postgresOn } from './postgres/postgres-on.ts'
import { sqlite } from './sqlite/sqlite.ts'

/** Each as it is by itself: for what no engine changes. */
export const dialects: Readonly<Record<DatabaseName, Dialect>> = { sqlite, postgres }

/** By what the engine has. Stores in several databases have statements in common, for which equal engines have one dialect. */
const ofEngines = new Map<string, Dialect>()

/** That of an instance, with what its engine lacks. */
export function dialectOf(db: AnyKysely): Dialect {
  if (databaseOf(db) === 'sqlite') return sqlite
  const engine = engineOf(db)
  const key = JSON.stringify(engine)
  const dialect = ofEngines.get(key) ?? postgresOn(engine)
  ofEngines.set(key, dialect)
  return dialect
}
