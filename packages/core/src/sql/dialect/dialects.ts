import { sql } from 'kysely'
import type { DatabaseName } from '../../model/database-name.ts'
import { type AnyKysely, databaseOf } from './database.ts'
import type { Dialect } from './dialect.ts'
import { engineOf, type PostgresEngine } from './postgres/engine.ts'
import { postgresIdsOn } from './postgres/ids/postgres-ids.ts'
import { postgres } from './postgres/postgres.ts'
import { sqlite } from './sqlite/sqlite.ts'

/** Each as it is by itself: for what no engine changes. */
export const dialects: Readonly<Record<DatabaseName, Dialect>> = { sqlite, postgres }

/** By what the engine has. Stores in several databases have statements in common, for which equal engines have one
 * dialect. */
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

/** That of an engine which may lack some of it. */
function postgresOn(engine: PostgresEngine): Dialect {
  return {
    ...postgres,
    begin: engine.begin,
    isolation: engine.isolation,
    hasSavepoints: engine.savepoints,
    rowLocks: rowLocksOf(engine),
    hasComparingUpdates: engine.comparingUpdates,
    plansWithoutValues: engine.setConfig ? postgres.plansWithoutValues : undefined,
    pipelining: { ...postgres.pipelining, keepsIds: engine.setConfig },
    ids: postgresIdsOn(engine),
  }
}

/** One strength for all, where the engine has no other. */
function rowLocksOf({ rowLocks }: PostgresEngine): Dialect['rowLocks'] {
  if (rowLocks === 'none') return undefined
  if (rowLocks === 'for no key update') return postgres.rowLocks
  const only = sql`for update`
  return { 'for no key update': only, 'for update': only, 'for key share': only }
}
