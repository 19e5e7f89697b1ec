import { flag, isText, type Kinds, oneOf, optional, wrongEntries } from '../../../model/check/entries.ts'
import { type AnyKysely, databaseOf } from '../database.ts'
import { stateOfInstance } from '../kept-for-database.ts'

/**
 * The facts of PostgreSQL that engines which speak its protocol may lack. `docs/engines.md` says which of them an
 * engine has, and what each costs.
 */
export interface PostgresEngine {
  /**
   * The isolation of the transactions that write. `'serializable'`: for an engine that has nothing weaker, or an
   * application that wants it. Then the application's own transactions must be serializable, too.
   */
  readonly isolation: 'read committed' | 'serializable'
  /** The statement that begins these transactions. Default: `begin isolation level`, and the isolation. */
  readonly begin: string
  /** What a SELECT ends with that locks its rows. `'none'`: no row is locked, which needs
   * `isolation: 'serializable'`. */
  readonly rowLocks: 'for no key update' | 'for update' | 'none'
  /** `false`: a write that is refused in an application's own transaction ends that transaction. */
  readonly savepoints: boolean
  /** `false`: of several processes that create tables at once, some may fail. */
  readonly advisoryLocks: boolean
  /** `false`: whoever needs the id of a new row waits for the INSERT, which is a round trip more. */
  readonly setConfig: boolean
  /** `false`: `createTables` makes `bigserial` columns for ids that the database counts. */
  readonly identityColumns: boolean
  /** `false`: a PATCH reads the record before it writes, as an UPDATE cannot look in a CASE whether a value is another
   * one. */
  readonly comparingUpdates: boolean
  /** `false`: nobody can be told of changes as they happen, as `pg_locks` does not say which writers have not committed
   * yet. */
  readonly showsLocks: boolean
}

const POSTGRES: Omit<PostgresEngine, 'begin'> = {
  isolation: 'read committed',
  rowLocks: 'for no key update',
  savepoints: true,
  advisoryLocks: true,
  setConfig: true,
  identityColumns: true,
  comparingUpdates: true,
  showsLocks: true,
}

const FACTS: Kinds<keyof PostgresEngine> = {
  begin: optional(isText, 'must be a statement'),
  isolation: oneOf(['read committed', 'serializable'], "must be 'read committed' or 'serializable'"),
  rowLocks: oneOf(['for no key update', 'for update', 'none'], "must be 'for no key update' or 'for update' or 'none'"),
  savepoints: flag,
  advisoryLocks: flag,
  setConfig: flag,
  identityColumns: flag,
  comparingUpdates: flag,
  showsLocks: flag,
}

const chosen = stateOfInstance((): { engine?: PostgresEngine } => ({}))

/**
 * Says what the engine behind a Kysely instance of your own lacks of PostgreSQL. `openPostgres` does so with its option
 * `engine`. To be called before the instance is used for anything else of this library.
 *
 * @throws TypeError for a fact that is none, for values that do not fit, for SQLite, and for an instance that is in use
 * already.
 *
 * @example
 * const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString }) }) })
 * defineEngine(db, { isolation: 'serializable' })
 */
export function defineEngine(db: AnyKysely, engine: Partial<PostgresEngine>): void {
  if (databaseOf(db) !== 'postgres') throw new TypeError('engine: SQLite has no other engines; leave it out')
  const state = chosen(db)
  if (state.engine !== undefined)
    throw new TypeError('engine: the Kysely instance is in use already; define its engine first')
  state.engine = checkedEngine(engine)
}

/** From now on, it is what it is. */
export function engineOf(db: AnyKysely): PostgresEngine {
  const state = chosen(db)
  state.engine ??= checkedEngine({})
  return state.engine
}

function checkedEngine(given: Partial<PostgresEngine>): PostgresEngine {
  const [wrong] = wrongEntries(given, FACTS, 'there is no fact')
  if (wrong !== undefined) {
    throw new TypeError(`engine${Object.hasOwn(FACTS, wrong.name) ? `.${wrong.name}` : ''}: ${wrong.message}`)
  }
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const facts = { ...POSTGRES, ...said }
  if (facts.rowLocks === 'none' && facts.isolation !== 'serializable') {
    throw new TypeError("engine.rowLocks: 'none' needs isolation: 'serializable', else writes undo each other")
  }
  return Object.freeze({ begin: `begin isolation level ${facts.isolation}`, ...facts })
}
