import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { AnyKysely } from '../query/dialect/database.ts'
import type { Prepared, Row, Values } from '../query/prepare.ts'
import { type Direct, HANDLE, type Handle } from './drivers/handle.ts'
import { atOnce, type PromiseOrValue } from './promise-or-value.ts'
import { directSession, kyselySession, type Session } from './session.ts'

/**
 * The sessions of a store: on Kysely's connections, or on that of the caller's transaction; on SQLite with `direct` on the
 * database itself, as long as there is nothing to wait for.
 */
export interface SessionPool {
  /** Runs a statement that only reads, on any connection. Returns what its only row has in its first column. */
  value<Value = unknown>(statement: Prepared, values: Values): PromiseOrValue<Value | undefined>
  /** Does work on one session, which nobody else uses meanwhile. */
  use<Result>(work: (session: Session) => PromiseOrValue<Result>): PromiseOrValue<Result>
}

export function sessionPool(db: AnyKysely): SessionPool {
  const executor = db.getExecutor()
  const any = anySession(db)
  if (db.isTransaction) return { value: any.value, use: (work) => work(any) }
  const hasOneConnection = executor.adapter.supportsMultipleConnections === false
  let direct: { readonly database: Direct; readonly session: Session } | undefined

  const use: SessionPool['use'] = (work) => {
    if (direct?.database.isPossible === true) return atOnce(work(direct.session))
    return executor.provideConnection(async (connection) => {
      const { session, handle } = known.get(connection) ?? (await learn(connection, hasOneConnection))
      if (handle.direct !== undefined) {
        direct ??= { database: handle.direct, session: directSession(handle.direct) }
      }
      setHeld(handle, true)
      try {
        return await work(session)
      } finally {
        setHeld(handle, false)
      }
    })
  }
  if (!hasOneConnection) return { value: any.value, use }
  return { use, value: (statement, values) => use((session) => session.value(statement, values)) }
}

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function anySession(db: AnyKysely): Session {
  const executor = db.getExecutor()
  // Not by its `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  return kyselySession({
    executeQuery: (query) => executor.provideConnection((connection) => connection.executeQuery(query)),
  })
}

/** What there is to know of a connection of Kysely's, once it was asked. */
interface Known {
  readonly handle: Handle
  readonly session: Session
}

const known = new WeakMap<DatabaseConnection, Known>()

async function learn(connection: DatabaseConnection, hasOneConnection: boolean): Promise<Known> {
  const handle = hasOneConnection && isLogged(connection) ? {} : await handleOf(connection)
  const { batching } = handle
  const session = kyselySession(connection)
  const pipelined = batching && { ...session, pipelines: true, hasJustAnswered: () => batching.hasJustAnswered() }
  const learned = { handle, session: pipelined ?? session }
  known.set(connection, learned)
  return learned
}

async function handleOf(connection: DatabaseConnection): Promise<Handle> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(HANDLE))
  return (rows[0]?.handle ?? {}) as Handle
}

/** Kysely puts its log into the connection, so every statement to the one that there is has to come by there. */
function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}

function setHeld({ batching, direct }: Handle, isHeld: boolean): void {
  if (batching !== undefined) batching.isOn = isHeld
  if (direct !== undefined) direct.isHeld = isHeld
}
