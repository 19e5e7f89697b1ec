import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { inTurn } from './connections.ts'
import { type DatabaseErrorKind, databaseErrorKind } from './database-errors.ts'
import { busy, CrudError, unreachable } from './errors.ts'
import type { AnyKysely } from './query/database.ts'
import type { Row, Runner } from './query/prepare.ts'
import { StepError } from './step-error.ts'

/** How often a write that other writers got in the way of is tried again, and how long it waits in between. */
const RETRIES = 8
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 250

/**
 * After so long no further try is begun. A driver may wait for a lock itself; one for SQLite lets nobody else do anything
 * meanwhile.
 */
const LONGEST_MS = 5_000

/** A commit was sent, but no answer came: whether it was done is not known, so nothing may be tried again. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'
}

/**
 * Does work in a transaction of a connection: commits if it resolves, rolls back if it throws. What the work resolves to
 * sends its last statements, so that the commit can go off behind them.
 */
export async function inTransaction<Result>(
  on: Runner,
  begin: string,
  work: () => Promise<() => Promise<Result>>,
): Promise<Result> {
  // What goes off with the beginning may fail when it has begun.
  let mayHaveBegun = on.isBatched || begin.includes(';')
  let isDone = false
  let isCommitting = false
  try {
    const [, result] = await inTurn(
      // What goes off with the commit may not be sent again. A connection that was lost unseen is found by the beginning.
      on.hasJustAnswered() ? on : { isBatched: false },
      () => runPlain(on, begin),
      async () => {
        mayHaveBegun = true
        const last = await work()
        const [answer] = await inTurn(
          on,
          async () => {
            const answer = await last()
            isDone = true
            return answer
          },
          () => {
            isCommitting = true
            return runPlain(on, 'commit')
          },
        )
        return answer
      },
    )
    return result
  } catch (error) {
    if (isCommitting && isUnanswered(error) && (isDone || !isFromServer(error))) {
      throw new CommitUnknownError('whether the transaction was committed is not known', { cause: error })
    }
    // What lost its connection is rolled back. To ask on it once more would keep it from the pool, which has to see it end.
    if (mayHaveBegun && !isConnectionGone(error)) await rollBack(on)
    throw error
  }
}

function isDisconnected(error: unknown): boolean {
  return kindOf(error) === 'disconnected'
}

/** An error that leaves the session there is of that severity, whatever its code; one that ends it is FATAL, or not from it. */
function isConnectionGone(error: unknown): boolean {
  return isDisconnected(error) && severityOf(error) !== 'ERROR'
}

/** The session has said so itself, of this very statement: it did none of those behind it. */
function isFromServer(error: unknown): boolean {
  return severityOf(error) !== undefined
}

/** The driver knows that the connection is lost, so it did not send anything. */
function isUnsent(error: unknown): boolean {
  return /is not queryable$/.test((causeOf(error) as Error).message)
}

function severityOf(error: unknown): unknown {
  return (causeOf(error) as { severity?: unknown }).severity
}

/** Nor has the database said what it made of a statement that the driver did not want to wait for any longer. */
function isUnanswered(error: unknown): boolean {
  if (isDisconnected(error)) return !isUnsent(error)
  return kindOf(error) === 'timeout' && (causeOf(error) as { code?: unknown }).code === undefined
}

function kindOf(error: unknown): DatabaseErrorKind {
  return databaseErrorKind(causeOf(error))
}

function causeOf(error: unknown): unknown {
  return error instanceof StepError ? error.cause : error
}

async function rollBack(on: Runner): Promise<void> {
  try {
    await runPlain(on, 'rollback')
  } catch {
    // The transaction is gone with its connection, or the database has ended it already: what counts is the first error.
  }
}

const plain = new Map<string, CompiledQuery<Row>>()

function runPlain(on: Runner, statement: string): Promise<unknown> {
  let query = plain.get(statement)
  if (query === undefined) {
    query = CompiledQuery.raw(statement) as CompiledQuery<Row>
    // What begins a transaction may lock a record by its id, too: that is not worth keeping.
    if (!statement.includes(';')) plain.set(statement, query)
  }
  return on.execute(query)
}

/** Does work in the caller's transaction: what fails of it is undone, and the caller may go on. */
export async function inSavepoint<Result>(on: Runner, work: () => Promise<Result>): Promise<Result> {
  await runPlain(on, 'savepoint fastify_crud')
  let result: Result
  try {
    result = await work()
  } catch (error) {
    if (!isDisconnected(error)) {
      await runPlain(on, 'rollback to savepoint fastify_crud')
      await runPlain(on, 'release savepoint fastify_crud')
    }
    throw error
  }
  await runPlain(on, 'release savepoint fastify_crud')
  return result
}

/** A try that was made already, and that other writers got in the way of. */
export interface FailedTry {
  readonly error: unknown
  /** When it was begun, by `performance.now()`. */
  readonly begun: number
}

/**
 * Tries work again while the database says that other writers are in the way or that the connection was lost.
 *
 * @throws CrudError `CRUD_ERR_BUSY` if it never got through.
 */
export async function persistently<Result>(
  db: AnyKysely,
  work: () => Promise<Result>,
  failed?: FailedTry,
): Promise<Result> {
  const begun = failed?.begun ?? performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      if (attempt === 0 && failed !== undefined) throw failed.error
      return await work()
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'timeout') throw new CrudError(busy(), { cause: error })
      if (kind !== 'busy' && kind !== 'disconnected') throw error
      // A failed statement has ended the caller's transaction: only the caller can begin again.
      if (db.isTransaction) throw error
      const isLast = attempt >= RETRIES || performance.now() - begun > LONGEST_MS
      if (isLast) throw new CrudError(kind === 'busy' ? busy() : unreachable(), { cause: error })
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
      await wait(longest / 2 + Math.random() * (longest / 2))
    }
  }
}
