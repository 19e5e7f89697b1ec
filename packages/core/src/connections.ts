import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { Batching } from './drivers/batching.ts'
import { HANDLE, type Handle } from './drivers/handle.ts'
import type { AnyKysely } from './query/database.ts'
import type { JsonText, Row, Runner } from './query/prepare.ts'

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function onAny(db: AnyKysely): Runner {
  const executor = db.getExecutor()
  return {
    isBatched: false,
    hasJustAnswered: () => false,
    // Not by `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
    execute: (query) => executor.provideConnection((connection) => connection.executeQuery(query)),
    json: (query) => executor.provideConnection((connection) => jsonFrom(connection, query)),
  }
}

async function jsonFrom(connection: DatabaseConnection, query: CompiledQuery<Row>): Promise<JsonText> {
  const { rows } = await connection.executeQuery<Row>(query)
  return rows[0]?.json as JsonText
}

/** Kysely puts its log into the connection, so every statement has to come by there. */
export function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}

/** Does work on one connection; on that of the caller's transaction, if the instance is one. */
export function onConnection<Result>(db: AnyKysely, work: (on: Runner) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return work(onAny(db))
  return db.getExecutor().provideConnection((connection) => {
    const known = runners.get(connection)
    return known === undefined ? learn(connection).then((on) => inBatches(on, work)) : inBatches(known, work)
  })
}

/** One connection, and how statements are put together for it. */
interface ConnectionRunner extends Runner {
  readonly batching: Batching | undefined
}

const runners = new WeakMap<DatabaseConnection, ConnectionRunner>()

/** Asks, once, whether a connection takes several statements together. */
async function learn(connection: DatabaseConnection): Promise<ConnectionRunner> {
  const { batching } = await handleOf(connection)
  const on: ConnectionRunner = {
    isBatched: batching !== undefined,
    hasJustAnswered: () => batching?.hasJustAnswered() === true,
    batching,
    execute: (query) => connection.executeQuery(query),
    json: (query) => jsonFrom(connection, query),
  }
  runners.set(connection, on)
  return on
}

export async function handleOf(connection: DatabaseConnection): Promise<Handle> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(HANDLE))
  return (rows[0]?.handle ?? {}) as Handle
}

function inBatches<Result>(on: ConnectionRunner, work: (on: Runner) => Promise<Result>): Promise<Result> {
  const { batching } = on
  if (batching === undefined) return work(on)
  batching.isOn = true
  return work(on).finally(() => {
    batching.isOn = false
  })
}

/**
 * Does the second thing after the first: when it is done, or where statements are batched right behind it. Rejects with the
 * error of the first if there is one, never before both are over.
 */
export async function inTurn<First, Second>(
  on: Pick<Runner, 'isBatched'>,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const one = first()
  if (!on.isBatched) return [await one, await second()]
  const [former, latter] = await Promise.allSettled([one, second()])
  if (former.status === 'rejected') throw former.reason
  if (latter.status === 'rejected') throw latter.reason
  return [former.value, latter.value]
}
