import { AsyncLocalStorage } from 'node:async_hooks'
import type { AnyKysely } from '../sql/dialect/database.ts'

/** The database in whose write rules run, for what they call. */
interface RunningRules {
  readonly adapter: object
  isOver: boolean
}

const running = new AsyncLocalStorage<RunningRules>()

/**
 * Runs rules of a write. Until they are done, {@link refuseRules} throws for what they call.
 *
 * The write holds a connection. On SQLite it is the only one, so a rule that waited for another would wait for ever.
 */
export async function whileRulesRun<Result>(db: AnyKysely, rules: () => Promise<Result>): Promise<Result> {
  const rulesOf: RunningRules = { adapter: adapterOf(db), isOver: false }
  try {
    return await running.run(rulesOf, rules)
  } finally {
    rulesOf.isOver = true
  }
}

/** Throws if a rule of a write in this database is calling. */
export function refuseRules(db: AnyKysely): void {
  const rules = running.getStore()
  if (rules === undefined || rules.isOver || rules.adapter !== adapterOf(db)) return
  throw new Error(
    'a rule must use the store in the transaction of its write: call `store.in(db)` with the `db` of the rule',
  )
}

/** A Kysely instance shares its adapter with its transactions and with nothing else. */
function adapterOf(db: AnyKysely): object {
  return db.getExecutor().adapter
}
