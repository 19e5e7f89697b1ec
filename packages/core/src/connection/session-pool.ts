import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { AnyKysely } from '../query/dialect/database.ts'
import type { Prepared, Row, Values } from '../query/prepare.ts'
import type { DirectDatabase } from './drivers/direct-database.ts'
import { type DriverFeatures, FEATURES_QUERY } from './drivers/driver-features.ts'
import { directSession, kyselySession, type Session } from './session.ts'

/** The sessions of a store: on Kysely's connections, or on that of the caller's transaction. */
export interface SessionPool {
  /** Runs a statement that only reads, on any connection. Returns what its only row has in its first column. */
  value<Value = unknown>(statement: Prepared, values: Values, requestContext: unknown): Promise<Value | undefined>
  /** Does work on one session, which nobody else uses meanwhile. */
  use<Result>(requestContext: unknown, work: (session: Session) => Promise<Result>): Promise<Result>
}

export function sessionPool(db: AnyKysely): SessionPool {
  const executor = db.getExecutor()
  const hasOneConnection = executor.adapter.supportsMultipleConnections === false
  let direct: DirectDatabase | undefined

  const use: SessionPool['use'] = (requestContext, work) => {
    if (db.isTransaction) return work(anySession(db, requestContext))
    return executor.provideConnection(async (connection) => {
      const { session, features } = known.get(connection) ?? (await learn(connection, hasOneConnection))
      direct = features.direct
      session.requestContext = requestContext
      setHeld(features, true)
      try {
        return await work(session)
      } finally {
        setHeld(features, false)
      }
    })
  }

  return {
    use,
    async value<Value>(statement: Prepared, values: Values, requestContext: unknown) {
      if (!hasOneConnection || db.isTransaction) {
        return await anySession(db, requestContext).value<Value>(statement, values)
      }
      if (direct?.isPossible === true) {
        return direct.value(statement.sql, statement.parameters(values, requestContext)) as Value | undefined
      }
      return await use(requestContext, (session) => session.value<Value>(statement, values))
    },
  }
}

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function anySession(db: AnyKysely, requestContext?: unknown): Session {
  const executor = db.getExecutor()
  // Not the executor's own `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  return kyselySession(
    {
      executeQuery: (query) => executor.provideConnection((connection) => connection.executeQuery(query)),
      streamQuery: () => {
        throw new TypeError('only a session on one connection can stream')
      },
    },
    requestContext,
  )
}

/** What there is to know of a connection of Kysely's, once it was asked. */
interface Known {
  readonly features: DriverFeatures
  readonly session: Session
}

const known = new WeakMap<DatabaseConnection, Known>()

async function learn(connection: DatabaseConnection, hasOneConnection: boolean): Promise<Known> {
  const features = hasOneConnection && isLogged(connection) ? {} : await featuresOf(connection)
  const learned = { features, session: sessionOn(connection, features) }
  known.set(connection, learned)
  return learned
}

function sessionOn(connection: DatabaseConnection, { pipeline, direct }: DriverFeatures): Session {
  if (direct !== undefined) return directSession(connection, direct)
  const session = kyselySession(connection)
  if (pipeline === undefined) return session
  return Object.assign(session, { pipelines: true, hasJustAnswered: () => pipeline.hasJustAnswered() })
}

async function featuresOf(connection: DatabaseConnection): Promise<DriverFeatures> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(FEATURES_QUERY))
  return (rows[0]?.features ?? {}) as DriverFeatures
}

/** Kysely puts its log into the connection, so every statement to the one that there is has to come by there. */
function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}

function setHeld({ pipeline, direct }: DriverFeatures, isHeld: boolean): void {
  if (isHeld) pipeline?.guard.hold()
  else pipeline?.guard.release()
  if (direct !== undefined) direct.isHeld = isHeld
}
