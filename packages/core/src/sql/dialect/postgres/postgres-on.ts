import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { PostgresEngine } from './engine.ts'
import { postgresIdsOn } from './ids/postgres-ids.ts'
import { postgres } from './postgres.ts'

/** That of an engine which may lack some of it. */
export function postgresOn(engine: PostgresEngine): Dialect {
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
