import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import { stateOfInstance } from '../sql/dialect/kept-for-database.ts'
import type { Prepared, Row, SlotValues } from '../sql/text/prepare.ts'
import type { Turns } from './drivers/driver-features.ts'
import { type DriverFeatures, FEATURES_QUERY } from './drivers/driver-features.ts'
import { refuseRules } from './kysely-transaction.ts'
import { directSession, kyselySession, type Session } from './session.ts'
import { type SetSettings, type SettingsOf, settingStatement } from './session-settings.ts'
import type { DirectDatabase } from './sqlite/direct-database.ts'
import { dueTurn } from './sqlite/shared-statement.ts'
import { inReadTransaction } from './transaction.ts'

/** The sessions of a store: on Kysely's connections, or on that of the caller's transaction. */
export interface SessionPool {
  /**
   * Runs a statement that only reads, on any connection. Returns what its only row has in its first column. `terms`: of
   * a read that may take long; fails with the reason of its signal if that is aborted.
   */
  value<Value = unknown>(
    statement: Prepared,
    values: SlotValues,
    requestContext: unknown,
    terms?: ReadTerms,
  ): Promise<Value | undefined>
  /** Does work on one session, which nobody else uses meanwhile. */
  use<Result>(requestContext: unknown, work: (session: Session) => Promise<Result>): Promise<Result>
}

/** `settingsOf`: what the transactions of a request set. An application's own transaction is its own affair. */
export function sessionPool(db: AnyKysely, settingsOf?: SettingsOf): SessionPool {
  const executor = db.getExecutor()
  const hasOneConnection = executor.adapter.supportsMultipleConnections === false
  const driver = driverOf(db)
  const learn = learner(db)
  let direct: DirectDatabase | undefined
  let isLearned = false
  const settingsFor = (requestContext: unknown) =>
    settingsOf === undefined || db.isTransaction ? undefined : settingStatement(settingsOf(requestContext))

  const use = <Result>(
    requestContext: unknown,
    settings: SetSettings | undefined,
    work: (session: Session, features: DriverFeatures) => Promise<Result>,
  ): Promise<Result> => {
    if (db.isTransaction) return work(anySession(db, requestContext), NO_FEATURES)
    return executor.provideConnection(async (connection) => {
      const { session, features } = knownConnections.get(connection) ?? (await learn(connection))
      direct = features.direct
      if (!isLearned) driver.turns = { turns: features.turns, othersTurns: features.othersTurns }
      isLearned = true
      session.requestContext = requestContext
      session.settings = settings
      session.notePosition = undefined
      const held = features.pipeline ?? features.direct
      held?.hold()
      try {
        return await work(session, features)
      } finally {
        held?.release()
      }
    })
  }

  /** The driver's turns, if it has any. It is asked once for each database. */
  const turnsOfDriver = async (): Promise<DriverTurns> => {
    if (hasOneConnection || db.isTransaction) return NO_FEATURES
    return driver.turns ?? (await use(undefined, undefined, async (_, features) => features))
  }

  /** A read on a connection of its own, whose turn may have to be waited for. */
  const readInTurn = async <Value>(
    { turns, othersTurns }: DriverTurns,
    statement: Prepared,
    values: SlotValues,
    requestContext: unknown,
    { signal, takesTurn }: ReadTerms,
  ): Promise<Value | undefined> => {
    const settings = settingsFor(requestContext)
    const readNow = () =>
      use(requestContext, settings, (session, found) => {
        const read = () => session.value<Value>(statement, values)
        return unlessAborted(found, signal, settings === undefined ? read : () => inReadTransaction(session, read))
      })
    return takesTurn ? await inTurn(turns, signal, () => inTurn(othersTurns, signal, readNow)) : await readNow()
  }

  return {
    async use(requestContext, work) {
      if (!db.isTransaction) refuseRules(db)
      const turn = dueTurn()
      if (turn !== undefined) await turn
      // The first connection says which turns there are.
      const others = db.isTransaction ? undefined : driver.turns?.othersTurns
      return await inTurn(others, undefined, () => use(requestContext, settingsFor(requestContext), work))
    },
    async value<Value>(statement: Prepared, values: SlotValues, requestContext: unknown, terms?: ReadTerms) {
      if (!db.isTransaction) refuseRules(db)
      const turn = dueTurn()
      if (turn !== undefined) await turn
      terms?.signal?.throwIfAborted()
      const turns = terms === undefined ? NO_FEATURES : await turnsOfDriver()
      if (terms !== undefined && turns.turns !== undefined) {
        return await readInTurn<Value>(turns, statement, values, requestContext, terms)
      }
      const settings = settingsFor(requestContext)
      if (settings !== undefined) {
        return await use(requestContext, settings, (session) =>
          inReadTransaction(session, () => session.value<Value>(statement, values)),
        )
      }
      if (!hasOneConnection || db.isTransaction) {
        return await anySession(db, requestContext, terms?.signal).value<Value>(statement, values)
      }
      if (!isLearned) await use(requestContext, undefined, nothing)
      const slowReads = direct?.slowReads
      if (slowReads?.concerns(statement.sql)) {
        const answer = await slowReads.value(statement.sql, statement.parameters(values, requestContext), terms)
        if (answer !== undefined) return answer.value as Value | undefined
      }
      if (direct?.isPossible === true) {
        return direct.value(statement.sql, statement.parameters(values, requestContext)) as Value | undefined
      }
      return await use(requestContext, undefined, (session) =>
        unlessAborted(NO_FEATURES, terms?.signal, () => session.value<Value>(statement, values)),
      )
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()

const NO_FEATURES: DriverFeatures = {}

type DriverTurns = Pick<DriverFeatures, 'turns' | 'othersTurns'>

const driverOf = stateOfInstance((): { turns?: DriverTurns } => ({}))

function inTurn<Result>(
  turns: Turns | undefined,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return turns === undefined ? work() : turns.during(signal, work)
}

/** Runs each statement on a connection that is free, or on that of the caller's transaction; none once the signal is
 * aborted. */
export function anySession(db: AnyKysely, requestContext?: unknown, signal?: AbortSignal): Session {
  const executor = db.getExecutor()
  // Not the executor's own `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  const session = kyselySession({
    executeQuery: (query) =>
      executor.provideConnection(async (connection) => {
        signal?.throwIfAborted()
        return await connection.executeQuery(query)
      }),
    streamQuery: () => {
      throw new TypeError('only a session on one connection can stream')
    },
  })
  session.requestContext = requestContext
  return session
}

/** What is known of a read that may take long. */
interface ReadTerms {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
  /** On PostgreSQL it takes one of the turns that leave some connections to quick requests. */
  readonly takesTurn: boolean
  /** What the query costs (`limits.maxCost`). Default: nothing. */
  readonly cost?: number
}

/**
 * Does a read, unless its signal is aborted before it begins. If that happens while it runs, its statement is cancelled
 * where the driver can do that. Fails with the signal's reason then.
 */
async function unlessAborted<Result>(
  { cancel }: DriverFeatures,
  signal: AbortSignal | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  if (signal === undefined || cancel === undefined) return await read()
  let cancelling: Promise<void> | undefined
  const stop = () => {
    cancelling = cancel()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await read()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    // The connection may not go back to the pool before it is closed.
    await cancelling
  }
}

/** What the store has learned about a connection of Kysely's. */
interface KnownConnection {
  readonly features: DriverFeatures
  readonly session: Session
}

const knownConnections = new WeakMap<DatabaseConnection, KnownConnection>()

/**
 * Returns a function that asks a connection what it offers. If the driver offers nothing, the others are not asked:
 * some dialects have a new connection for each use.
 */
function learner(db: AnyKysely): (connection: DatabaseConnection) => Promise<KnownConnection> {
  const isSqlite = databaseOf(db) === 'sqlite'
  let hasFeatures = true

  return async (connection) => {
    // Kysely puts its log into the connection, and SQLite's own way would not come by there.
    const isAsked = hasFeatures && !(isSqlite && isLogged(connection))
    const features = isAsked ? await featuresOf(connection) : undefined
    hasFeatures = features !== undefined
    const learned = { features: features ?? {}, session: sessionOn(connection, features ?? {}) }
    knownConnections.set(connection, learned)
    return learned
  }
}

function sessionOn(connection: DatabaseConnection, { pipeline, direct, cancel }: DriverFeatures): Session {
  if (direct !== undefined) return directSession(connection, direct)
  if (pipeline === undefined) return kyselySession(connection)
  return kyselySession(connection, { pipelines: true, hasJustAnswered: () => pipeline.hasJustAnswered(), cancel })
}

async function featuresOf(connection: DatabaseConnection): Promise<DriverFeatures | undefined> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(FEATURES_QUERY))
  return (rows[0]?.features ?? undefined) as DriverFeatures | undefined
}

function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}
