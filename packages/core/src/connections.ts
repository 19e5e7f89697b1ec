import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { IS_PIPELINED } from './keep-statements.ts'
import type { AnyKysely } from './query/database.ts'
import type { Row, Runner } from './query/prepare.ts'

/** Runs each statement on a connection that is free, or on that of the caller's transaction. */
export function onAny(db: AnyKysely): Runner {
  const executor = db.getExecutor()
  // Not by `executeQuery`, which has plugins change the result: there is nothing in it that is theirs.
  return { execute: (query) => executor.provideConnection((connection) => connection.executeQuery(query)) }
}

/** Does work on one connection; on that of the caller's transaction, if the instance is one. */
export function onConnection<Result>(db: AnyKysely, work: (on: Runner) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return work(onAny(db))
  return db.getExecutor().provideConnection((connection) => {
    const on = runnerOf(connection)
    return on.isPipelined === undefined ? learnPipelining(on).then(() => work(on)) : work(on)
  })
}

const runners = new WeakMap<DatabaseConnection, Runner>()

function runnerOf(connection: DatabaseConnection): Runner {
  let runner = runners.get(connection)
  if (runner === undefined) {
    runner = { execute: (query) => connection.executeQuery(query) }
    runners.set(connection, runner)
  }
  return runner
}

/** Asks, once, whether a connection takes a statement before the one ahead of it is answered. */
async function learnPipelining(on: Runner): Promise<void> {
  const [answer] = (await on.execute(CompiledQuery.raw(IS_PIPELINED) as CompiledQuery<Row>)).rows
  on.isPipelined = answer?.pipelined === true
}

/**
 * Does the second thing after the first: when it is done, or on a pipelined connection right behind it. Rejects with the
 * error of the first if there is one, never before both are over.
 */
export async function inTurn<First, Second>(
  on: Runner,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const one = first()
  if (on.isPipelined !== true) return [await one, await second()]
  const [former, latter] = await Promise.allSettled([one, second()])
  if (former.status === 'rejected') throw former.reason
  if (latter.status === 'rejected') throw latter.reason
  return [former.value, latter.value]
}
