import type { AnyKysely } from '../query/dialect/database.ts'
import type { Prepared, Values } from '../query/prepare.ts'
import type { DirectDatabase } from './drivers/direct-database.ts'
import { dueTurn } from './drivers/statement-memory.ts'
import { knownConnections, learner } from './known-connections.ts'
import { kyselySession, type Session } from './session.ts'
import { type SetSettings, type SettingsOf, settingStatement } from './session-settings.ts'
import { inReadTransaction } from './transaction.ts'
import { refuseRules } from './while-rules-run.ts'

/** The sessions of a store: on Kysely's connections, or on that of the caller's transaction. */
export interface SessionPool {
  /** Runs a statement that only reads, on any connection. Returns what its only row has in its first column. */
  value<Value = unknown>(statement: Prepared, values: Values, requestContext: unknown): Promise<Value | undefined>
  /** Does work on one session, which nobody else uses meanwhile. */
  use<Result>(requestContext: unknown, work: (session: Session) => Promise<Result>): Promise<Result>
}

/** `settingsOf`: what the transactions of a request set. An application's own transaction is its own affair. */
export function sessionPool(db: AnyKysely, settingsOf?: SettingsOf): SessionPool {
  const executor = db.getExecutor()
  const hasOneConnection = executor.adapter.supportsMultipleConnections === false
  const learn = learner(db)
  let direct: DirectDatabase | undefined
  const settingsFor = (requestContext: unknown) =>
    settingsOf === undefined || db.isTransaction ? undefined : settingStatement(settingsOf(requestContext))

  const use = <Result>(
    requestContext: unknown,
    settings: SetSettings | undefined,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> => {
    if (db.isTransaction) return work(anySession(db, requestContext))
    return executor.provideConnection(async (connection) => {
      const { session, features } = knownConnections.get(connection) ?? (await learn(connection))
      direct = features.direct
      session.requestContext = requestContext
      session.settings = settings
      const held = features.pipeline?.guard ?? features.direct
      held?.hold()
      try {
        return await work(session)
      } finally {
        held?.release()
      }
    })
  }

  return {
    async use(requestContext, work) {
      if (!db.isTransaction) refuseRules(db)
      const turn = dueTurn()
      if (turn !== undefined) await turn
      return await use(requestContext, settingsFor(requestContext), work)
    },
    async value<Value>(statement: Prepared, values: Values, requestContext: unknown) {
      if (!db.isTransaction) refuseRules(db)
      const turn = dueTurn()
      if (turn !== undefined) await turn
      const settings = settingsFor(requestContext)
      if (settings !== undefined) {
        return await use(requestContext, settings, (session) =>
          inReadTransaction(session, () => session.value<Value>(statement, values)),
        )
      }
      if (!hasOneConnection || db.isTransaction) {
        return await anySession(db, requestContext).value<Value>(statement, values)
      }
      if (direct?.isPossible === true) {
        return direct.value(statement.sql, statement.parameters(values, requestContext)) as Value | undefined
      }
      return await use(requestContext, undefined, (session) => session.value<Value>(statement, values))
    },
  }
}

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function anySession(db: AnyKysely, requestContext?: unknown): Session {
  const executor = db.getExecutor()
  // Not the executor's own `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  const session = kyselySession({
    executeQuery: (query) => executor.provideConnection((connection) => connection.executeQuery(query)),
    streamQuery: () => {
      throw new TypeError('only a session on one connection can stream')
    },
  })
  session.requestContext = requestContext
  return session
}
