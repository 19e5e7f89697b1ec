import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { busy, CrudError, outcomeUnknown, unavailable, unreachable } from '../errors.ts'
import type { AnyKysely } from '../query/dialect/database.ts'
import { Prepared, type Query, type Runner } from '../query/prepare.ts'
import { StepError } from '../store/step-error.ts'
import { inTurn, ONE_BY_ONE } from './connections.ts'
import { type DatabaseErrorKind, databaseErrorKind, endsSession } from './database-errors.ts'
import { isReadTimeout, patientText } from './drivers/read-timeout.ts'
import { andThen, forEachInTurn, orElse, type PromiseOrValue, promised } from './promise-or-value.ts'

/** How often a write that other writers got in the way of is tried again, and how long it waits in between. */
const RETRIES = 8
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 250

/**
 * After so long no further try is begun. A driver may wait for a lock itself; one for SQLite lets nobody else do anything
 * meanwhile.
 */
const LONGEST_MS = 5_000

/**
 * Does work in a transaction of a connection: commits if it is done, rolls back if it fails. What the work comes to sends
 * its last statements, so that the commit can go off behind them.
 */
export function inTransaction<Result>(
  on: Runner,
  begin: string,
  work: () => PromiseOrValue<() => PromiseOrValue<Result>>,
): PromiseOrValue<Result> {
  // What goes off with the beginning may fail when it has begun.
  let mayHaveBegun = on.isBatched || begin.includes(';')
  let isDone = false
  let isCommitting = false

  function commitBehind(last: () => PromiseOrValue<Result>): PromiseOrValue<Result> {
    let answer: Result
    const lastOfAll = () =>
      andThen(last(), (result) => {
        answer = result
        isDone = true
      })
    const commit = () => {
      isCommitting = true
      return runPlain(on, 'commit')
    }
    return andThen(inTurn(on, lastOfAll, commit), () => answer)
  }

  function allOfIt(): PromiseOrValue<Result> {
    mayHaveBegun = true
    return andThen(work(), commitBehind)
  }

  function fail(error: unknown): PromiseOrValue<never> {
    if (isCommitting && isUnanswered(error) && (isDone || !isFromServer(error))) {
      // Whether it was done is not known, so nothing may be tried again.
      throw new CrudError(outcomeUnknown(), { cause: error })
    }
    const rethrow = () => {
      throw error
    }
    return mayHaveBegun || isStillRunning(error) ? andThen(undo(on, error, 'rollback'), rethrow) : rethrow()
  }

  // What goes off with the commit may not be sent again. A connection that was lost unseen is found by the beginning.
  const beginning = on.hasJustAnswered() ? on : ONE_BY_ONE
  return orElse(() => inTurn(beginning, () => runPlain(on, begin), allOfIt), fail)
}

/** Whether the database has said of a statement, or of a step, that others are in the way. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 'busy'
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
  return kindOf(error) === 'disconnected' ? !isUnsent(error) : isStillRunning(error)
}

function isStillRunning(error: unknown): boolean {
  return isReadTimeout(causeOf(error))
}

function kindOf(error: unknown): DatabaseErrorKind {
  return databaseErrorKind(causeOf(error))
}

function causeOf(error: unknown): unknown {
  return error instanceof StepError ? error.cause : error
}

/** Whatever comes of it: the transaction may be gone with its connection, or ended by the database. What counts is the first error. */
export function tryPlain(on: Runner, text: string): PromiseOrValue<unknown> {
  return orElse<unknown>(
    () => runPlain(on, text),
    () => undefined,
  )
}

/** Undoes what has failed with an error, by one statement after the other. */
function undo(on: Runner, error: unknown, ...texts: readonly string[]): PromiseOrValue<unknown> {
  // What lost its connection is rolled back. To ask on it once more would keep it from the pool, which has to see it end.
  if (endsSession(causeOf(error))) return undefined
  if (!isStillRunning(error)) return forEachInTurn(texts, (text) => tryPlain(on, text))
  // These come behind what is running, and ahead of whatever the connection is used for next, as Kysely's dialect hands them to
  // the driver at once: nobody has to wait for them.
  for (const text of texts) {
    const patient = new Prepared(CompiledQuery.raw(patientText(text)) as Query)
    promised(() => patient.run(on, NO_VALUES)).catch(() => {})
  }
  return undefined
}

/** Runs a statement that has no values, whose answer does not matter. */
export function runPlain(on: Runner, text: string): PromiseOrValue<unknown> {
  let statement = on.plain.get(text)
  if (statement === undefined) {
    statement = new Prepared(CompiledQuery.raw(text) as Query)
    // What begins a transaction may lock a record by its id, too: that is not worth keeping.
    if (!text.includes(';')) on.plain.set(text, statement)
  }
  return statement.run(on, NO_VALUES)
}

const NO_VALUES: readonly never[] = []

/**
 * Does work in the caller's transaction: what fails of it is undone, and the caller may go on. After a `query_timeout` that
 * comes behind the statement that is running; under `keepStatements` the connection is closed, and the transaction with it.
 */
export async function inSavepoint<Result>(on: Runner, work: () => PromiseOrValue<Result>): Promise<Result> {
  await runPlain(on, 'savepoint fastify_crud')
  try {
    const result = await work()
    await runPlain(on, 'release savepoint fastify_crud')
    return result
  } catch (error) {
    await undo(on, error, 'rollback to savepoint fastify_crud', 'release savepoint fastify_crud')
    throw error
  }
}

/**
 * Does work, and tries it again while the database says that other writers are in the way or that the connection was lost.
 *
 * Fails with a CrudError `CRUD_ERR_BUSY` if it never gets through.
 */
export function persistently<Result>(db: AnyKysely, work: () => PromiseOrValue<Result>): PromiseOrValue<Result> {
  const begun = performance.now()
  return orElse(work, (error) => tryAgain(db, work, error, begun))
}

/** `begun`: the first try, by `performance.now()`, which failed with the error. */
async function tryAgain<Result>(
  db: AnyKysely,
  work: () => PromiseOrValue<Result>,
  failed: unknown,
  begun: number,
): Promise<Result> {
  let error = failed
  for (let attempt = 0; ; attempt++) {
    const kind = kindOf(error)
    if (kind === 'timeout') throw new CrudError(busy(), { cause: error })
    if (kind === 'unavailable') throw new CrudError(unavailable(), { cause: error })
    if (kind !== 'busy' && kind !== 'disconnected') throw error
    // A failed statement has ended the caller's transaction: only the caller can begin again.
    if (db.isTransaction) throw error
    const isLast = attempt >= RETRIES || performance.now() - begun > LONGEST_MS
    if (isLast) throw new CrudError(kind === 'busy' ? busy() : unreachable(), { cause: error })
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
    await wait(longest / 2 + Math.random() * (longest / 2))
    try {
      return await work()
    } catch (next) {
      error = next
    }
  }
}
