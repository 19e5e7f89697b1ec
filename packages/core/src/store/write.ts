import { databaseErrorKind, refusalOf } from '../connection/database-errors.ts'
import { andThen, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { withRetries } from '../connection/retries.ts'
import type { Session } from '../connection/session.ts'
import { StepError } from '../connection/step-error.ts'
import { inReadersTransaction, inTransaction, savepoint } from '../connection/transaction.ts'
import { CrudError } from '../errors.ts'
import { isSettled } from '../plan/decide/outcome.ts'
import { writeBlind } from './blind-write.ts'
import { behindLock, lockOf, transactionWith } from './lock.ts'
import { writeOptimistically } from './optimistic-write.ts'
import { planWrite } from './plan-write.ts'
import { AnswerTooLargeError, recordTooLarge, shownIfSendable } from './read.ts'
import { runAndReadBack } from './run-plan.ts'
import type { Seen, WriteParts, WriteRequest, Written } from './write-request.ts'

/**
 * Another writer took a foreign key or unique value after the plan found it free, or only the database knows of a constraint.
 * The second attempt plans anew and writes row by row, to learn which row the database refuses.
 */
const ATTEMPTS = 2

/** A concurrent request may link to a record while it is being deleted: plan again, so often. */
const ATTEMPTS_TO_REMOVE = 8

/**
 * Carries out a write: a short cut if the request allows one, else lock → read → plan → run → read back in one transaction. Tries
 * again while others are in the way.
 */
export function write(parts: WriteParts, request: WriteRequest, attempt = 1): PromiseOrValue<Written> {
  const { context, sessions } = parts
  return orElse(
    () => withRetries(context.db, () => sessions.use((session) => writeOnce(parts, session, request, attempt))),
    (error) => afterFailure(parts, request, attempt, error),
  )
}

function writeOnce(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  attempt: number,
): PromiseOrValue<Written> {
  // What the database refused has to be read to tell why.
  const blind = attempt === 1 ? writeBlind(parts, session, request) : undefined
  return andThen(blind, (written) => written ?? writePlanned(parts, session, request, attempt >= ATTEMPTS))
}

/** PUT and PATCH read first: a request that changes nothing blocks no other writer. */
function writePlanned(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  rowByRow: boolean,
): PromiseOrValue<Written> {
  if (request.alwaysWrites || session.beginsAsReader) return writeInTransaction(parts, session, request, rowByRow)
  return andThen(request.look(session, request.extent), (seen) => {
    if (isSettled(seen.diff)) return unchanged(request, seen)
    const optimistic = rowByRow ? undefined : writeOptimistically(parts, session, request, seen)
    return andThen(optimistic, (written) => written ?? writeInTransaction(parts, session, request, rowByRow, seen))
  })
}

/** The story: lock → read → plan → run → read back. `seen`: what was read before the transaction. */
function writeInTransaction(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  rowByRow: boolean,
  seen?: Seen,
): PromiseOrValue<Written> {
  const { context, statements } = parts
  const lock = lockOf(context, statements, request.at, request.id)
  const read = () => behindLock(session, lock, () => request.look(session, request.extent, seen))
  const planAndRun = (now: Seen) => carryOut(parts, session, request, now, rowByRow)
  const work = () => andThen(read(), planAndRun)
  if (context.db.isTransaction) {
    const locked = () => (lock === undefined ? undefined : session.rows(lock.statement, lock.values))
    return inTransaction(session, savepoint, () => andThen(locked(), work))
  }
  const boundaries = transactionWith(session, context, lock)
  if (session.beginsAsReader && !request.alwaysWrites) {
    return inReadersTransaction(session, boundaries, read, planAndRun)
  }
  return inTransaction(session, boundaries, work)
}

/** Returns what sends the last statements. */
function carryOut(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  seen: Seen,
  rowByRow: boolean,
): PromiseOrValue<() => PromiseOrValue<Written>> {
  if (isSettled(seen.diff) && seen.record !== undefined) return () => unchanged(request, seen)
  return andThen(planWrite(parts, session, seen, rowByRow), (decision) => {
    if ('refusal' in decision) throw new CrudError(decision.refusal)
    return runAndReadBack(parts, session, request, decision.ordered)
  })
}

function unchanged({ id, at }: WriteRequest, seen: Seen): Written {
  return { id, json: shownIfSendable(at, seen.record) }
}

function afterFailure(
  parts: WriteParts,
  request: WriteRequest,
  attempt: number,
  error: unknown,
): PromiseOrValue<Written> {
  if (error instanceof CrudError) throw error
  if (error instanceof AnswerTooLargeError) {
    return write(parts, { ...request, extent: 'state', blind: undefined }, attempt)
  }
  if (databaseErrorKind(error) === 'tooLarge') return writeWithoutAnswer(parts, request, attempt)
  const step = error instanceof StepError ? error : undefined
  const cause = step === undefined ? error : step.cause
  const most = step?.doing === 'remove' ? ATTEMPTS_TO_REMOVE : ATTEMPTS
  if (!parts.context.db.isTransaction && attempt < most && isConstraint(cause)) {
    return write(parts, request, attempt + 1)
  }
  const refusal = refusalOf(cause, step?.doing ?? 'write', step?.pointer)
  throw refusal === undefined ? error : new CrudError(refusal, { cause })
}

/** The database itself cannot build the record. */
function writeWithoutAnswer(parts: WriteParts, request: WriteRequest, attempt: number): PromiseOrValue<Written> {
  if (!request.readsBack) throw recordTooLarge(request.at, request.id, parts.context.maxAnswer)
  return write(parts, { ...request, extent: 'state', readsBack: false }, attempt)
}

function isConstraint(error: unknown): boolean {
  const kind = databaseErrorKind(error)
  return kind === 'unique' || kind === 'foreignKey' || kind === 'value' || kind === 'refused'
}
