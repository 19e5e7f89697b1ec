import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import type { Session } from './session.ts'

/** A transaction of Kysely's, whatever its tables are. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are the application's
export type AnyTransaction = Transaction<any>

/** Whether a transaction may be used any more. */
export interface TransactionUse {
  /** Why not; undefined: it may. */
  refusal: string | undefined
}

/**
 * The transaction that a session is in, for queries of the application's own: on the session's connection, with the
 * plugins of `db`. Whoever began the transaction ends it. `use`: default: it may be used as long as it is there.
 */
export function kyselyTransaction(db: AnyKysely, { connection }: Session, use?: TransactionUse): AnyTransaction {
  if (db instanceof Transaction) return db
  const provideConnection = async <Result>(work: (connection: DatabaseConnection) => Promise<Result>) => {
    if (use?.refusal !== undefined) throw new Error(use.refusal)
    return await work(connection)
  }
  const executor = db.getExecutor().withConnectionProvider({ provideConnection })
  const dialect = dialectOf(db)
  return new Transaction({ config: { dialect }, dialect, driver: dialect.createDriver(), executor })
}

/** The moment of a transaction: that of its first write, of which it is told. */
export function momentOf(transaction: AnyTransaction, now: Date): Date {
  const moment = moments.get(transaction) ?? now
  moments.set(transaction, moment)
  return moment
}

const moments = new WeakMap<AnyTransaction, Date>()

/** What Kysely wants besides the connection, which is there already. */
function dialectOf(db: AnyKysely): Dialect {
  const isPostgres = databaseOf(db) === 'postgres'
  return {
    createAdapter: () => db.getExecutor().adapter,
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => (isPostgres ? new PostgresIntrospector(one) : new SqliteIntrospector(one)),
    createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
  }
}

/** The database in whose write rules run, for what they call. */
interface RunningRules {
  readonly adapter: object
  /** What they are told of a call that would wait for another connection. */
  readonly advice: string
  isOver: boolean
}

const running = new AsyncLocalStorage<RunningRules>()

/**
 * Runs rules of a write. Until they are done, {@link refuseRules} throws for what they call.
 *
 * The write holds a connection. On SQLite it is the only one, so a rule that waited for another would wait for ever.
 */
export async function whileRulesRun<Result>(
  db: AnyKysely,
  rules: () => Promise<Result>,
  advice = ADVICE,
): Promise<Result> {
  const rulesOf: RunningRules = { adapter: adapterOf(db), advice, isOver: false }
  try {
    return await running.run(rulesOf, rules)
  } finally {
    rulesOf.isOver = true
  }
}

const ADVICE =
  'a rule must use the store in the transaction of its write: call `store.in(db)` with the `db` of the rule'

/** Throws if a rule of a write in this database is calling. */
export function refuseRules(db: AnyKysely): void {
  const rules = running.getStore()
  if (rules === undefined || rules.isOver || rules.adapter !== adapterOf(db)) return
  throw new Error(rules.advice)
}

/** A Kysely instance shares its adapter with its transactions and with nothing else. */
function adapterOf(db: AnyKysely): object {
  return db.getExecutor().adapter
}
