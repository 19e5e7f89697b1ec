import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { AnyKysely } from '../query/dialect/database.ts'
import type { Prepared, Row, Runner } from '../query/prepare.ts'
import { type Direct, HANDLE, type Handle } from './drivers/handle.ts'
import { andThen, atOnce, type PromiseOrValue, promised } from './promise-or-value.ts'

/**
 * What the statements of a store run on: Kysely's connections, or that of the caller's transaction; on SQLite with `direct`
 * the database itself, as long as there is nothing to wait for.
 */
export interface Connections {
  /** A statement that only reads, wherever there is room for it: what its only row has in its first column. */
  value(statement: Prepared, parameters: readonly unknown[]): PromiseOrValue<unknown>
  /** Does work on one connection, which nobody else uses meanwhile. */
  hold<Result>(work: (on: Runner) => PromiseOrValue<Result>): PromiseOrValue<Result>
}

export function connectionsOf(db: AnyKysely): Connections {
  const executor = db.getExecutor()
  const any = onAny(db)
  if (db.isTransaction) return { value: any.value, hold: (work) => work(any) }
  const isAlone = executor.adapter.supportsMultipleConnections === false
  let direct: { readonly database: Direct; readonly on: Runner } | undefined

  const hold: Connections['hold'] = (work) => {
    if (direct?.database.isPossible === true) return atOnce(work(direct.on))
    return executor.provideConnection(async (connection) => {
      const { on, handle } = known.get(connection) ?? (await learn(connection, isAlone))
      if (handle.direct !== undefined) direct ??= { database: handle.direct, on: onDatabase(handle.direct) }
      setHeld(handle, true)
      try {
        return await work(on)
      } finally {
        setHeld(handle, false)
      }
    })
  }
  return { value: isAlone ? (...asked) => hold((on) => on.value(...asked)) : any.value, hold }
}

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function onAny(db: AnyKysely): Runner {
  const executor = db.getExecutor()
  // Not by its `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  return onConnection({
    executeQuery: (query) => executor.provideConnection((connection) => connection.executeQuery(query)),
  })
}

/** What there is to know of a connection of Kysely's, once it was asked. */
interface Known {
  readonly handle: Handle
  readonly on: Runner
}

const known = new WeakMap<DatabaseConnection, Known>()

async function learn(connection: DatabaseConnection, isAlone: boolean): Promise<Known> {
  const handle = isAlone && isLogged(connection) ? {} : await handleOf(connection)
  const { batching } = handle
  const on = onConnection(connection)
  const batched = batching && { ...on, isBatched: true, hasJustAnswered: () => batching.hasJustAnswered() }
  const learned = { handle, on: batched ?? on }
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

/** Statements that each are waited for. */
export const ONE_BY_ONE = {
  isBatched: false,
  canBeginReading: false,
  repeat: undefined,
  hasJustAnswered: () => false,
}

function onConnection(connection: Pick<DatabaseConnection, 'executeQuery'>): Runner {
  const execute = ({ sql, query, queryId }: Prepared, parameters: readonly unknown[]) =>
    connection.executeQuery<Row>({ sql, query, queryId, parameters })
  return {
    ...ONE_BY_ONE,
    plain: new Map(),
    rows: async (statement, parameters) => (await execute(statement, parameters)).rows,
    value: async (statement, parameters) => Object.values((await execute(statement, parameters)).rows[0] ?? {})[0],
    insertedId: async (statement, parameters) => {
      const { insertId } = await execute(statement, parameters)
      if (insertId === undefined) throw new TypeError('the dialect does not tell which id a row was given')
      return Number(insertId)
    },
  }
}

function onDatabase(direct: Direct): Runner {
  return {
    ...ONE_BY_ONE,
    canBeginReading: direct.resetsStatements,
    plain: new Map(),
    rows: (statement, parameters) => direct.rows(statement, parameters) as readonly Row[],
    value: (statement, parameters) => direct.value(statement, parameters),
    insertedId: (statement, parameters) => direct.insertedId(statement, parameters),
    repeat: (statement) => direct.repeat(statement),
  }
}

/**
 * Does the second thing after the first: when it is done, or where statements are batched right behind it. Comes to what the
 * second comes to; fails with the error of the first if there is one, never before both are over.
 */
export function inTurn<Result>(
  on: Pick<Runner, 'isBatched'>,
  first: () => PromiseOrValue<unknown>,
  second: () => PromiseOrValue<Result>,
): PromiseOrValue<Result> {
  return on.isBatched ? together(first, second) : andThen(first(), second)
}

async function together<Result>(
  first: () => PromiseOrValue<unknown>,
  second: () => PromiseOrValue<Result>,
): Promise<Result> {
  const [former, latter] = await Promise.allSettled([promised(first), promised(second)])
  if (former.status === 'rejected') throw former.reason
  if (latter.status === 'rejected') throw latter.reason
  return latter.value
}
