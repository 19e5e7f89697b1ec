import { databaseErrorKind, isLockedByOther } from '../../connection/database-errors.ts'
import { withRetries } from '../../connection/retries.ts'
import type { Session } from '../../connection/session.ts'
import {
  type Boundaries,
  inReadersTransaction,
  inTransaction,
  savepoint,
  undone,
} from '../../connection/transaction.ts'
import { busy, CrudError } from '../../errors.ts'
import { PendingAnswersError } from '../../plan/decide/planned-actions.ts'
import { isSettled } from '../../plan/diff/diff.ts'
import { type RowLocks, rowLocks } from '../../rules/rows/row-locks.ts'
import { RightLostError } from '../checks/check-allowed.ts'
import { mayRunRules } from '../checks/may-run-rules.ts'
import { AnswerChangedError } from '../read/read-record.ts'
import { AnswerTooLargeError, recordTooLarge } from '../read/sendable.ts'
import { shownRecord } from '../read/shown.ts'
import { writeBlind } from './blind-write.ts'
import { finalError, mayTryAgain, writingAfter } from './failed-write.ts'
import { behindLock, type Lock, lockOf, locksAsItBegins, readBehindLock, transactionWith } from './lock.ts'
import { writeOptimistically } from './optimistic-write.ts'
import { planWrite } from './plan-write.ts'
import { ruleWrite, runAfterCommit } from './rule-write.ts'
import { runAndReadBack } from './run-plan.ts'
import type { FailedPlan, Seen, WriteParts, WriteRequest, Written } from './write-request.ts'

/**
 * Carries out a write: a short cut if the request allows one, else lock → read → plan → run → read back in one transaction. Tries
 * again while others are in the way.
 */
export async function write(parts: WriteParts, request: WriteRequest): Promise<Written> {
  const { context, sessions } = parts
  let plan: FailedPlan | undefined
  const notePlan = (noted: FailedPlan) => {
    plan = noted
  }
  let current = parts.errors === undefined ? request : { ...request, notePlan }
  if (parts.rules !== undefined && mayRunRules(parts, request.at)) {
    current = { ...current, rowLocks: rowLocks(parts.rules, !context.db.isTransaction) }
  }
  let answers = 0
  for (let attempt = 1; ; ) {
    try {
      const written = await withRetries(context.db, () =>
        sessions.use(request.requestContext, (session) => writeOnce(parts, session, current)),
      )
      if (written.committed !== undefined) runAfterCommit(parts, request, written.committed)
      return written
    } catch (error) {
      if (error instanceof PendingAnswersError) {
        await error.answers
        continue
      }
      if (current.rowLocks?.isLacking) continue
      if (error instanceof RightLostError) {
        current = { ...current, blind: undefined, asksAgain: false }
        continue
      }
      if (error instanceof AnswerChangedError) {
        if (++answers === MOST_ANSWERS) throw new CrudError(busy(), { cause: error })
        current = { ...current, blind: undefined, answeredFrom: error.basis }
        continue
      }
      const smaller = withLessToRead(parts, current, error)
      if (smaller !== undefined) current = smaller
      else if (!mayTryAgain(parts, attempt++, error)) throw await finalError(parts, current, error, plan)
      // What the database refused has to be read to tell why.
      else current = { ...current, blind: undefined, writing: writingAfter(error, current.writing), notePlan }
      plan = undefined
    }
  }
}

/** How often a write is done for its answer, while others change its links. */
const MOST_ANSWERS = 9

async function writeOnce(parts: WriteParts, session: Session, request: WriteRequest): Promise<Written> {
  const mayBeBlind = request.blind !== undefined && mayTakeShortCut(session, request)
  const blind = mayBeBlind ? await writeBlind(parts, session, request) : undefined
  return blind ?? (await writePlanned(parts, session, request))
}

/** With settings, the database's own policies have a say in the write under the lock. A right that was lost is asked for under it. */
function mayTakeShortCut({ settings }: Session, { rollsBack, asksAgain }: WriteRequest): boolean {
  return settings === undefined && !rollsBack && asksAgain
}

/**
 * PUT and PATCH read first: a request that changes nothing blocks no other writer. Settings are there only in the transaction, and rules
 * need the record under the lock, so that reading it first would cost them a round trip: they ask for the lock together with the read.
 */
async function writePlanned(parts: WriteParts, session: Session, request: WriteRequest): Promise<Written> {
  const { beginsAsReader, settings } = session
  if (request.alwaysWrites || beginsAsReader || settings !== undefined || mayRunRules(parts, request.at)) {
    return await writeInTransaction(parts, session, request)
  }
  const seen = await request.readCurrent(session, request.readsBefore)
  if (isSettled(seen.diff)) return unchanged(parts, request, seen)
  const mayBeOptimistic = session.pipelines && !request.writing.rowByRow && mayTakeShortCut(session, request)
  const optimistic = mayBeOptimistic ? await writeOptimistically(parts, session, request, seen) : undefined
  return optimistic ?? (await writeInTransaction(parts, session, request, seen))
}

/**
 * The story: lock → read → plan → run → read back. `seen`: what was read before the transaction. A request that may change nothing waits for
 * other writers only if what it reads meanwhile is no answer.
 */
async function writeInTransaction(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  seen?: Seen,
): Promise<Written> {
  const lock = lockOf(parts.context, parts.statements, request.at, request.id)
  const mayWait = lock === undefined || seen !== undefined || (request.alwaysWrites && !request.isConditional)
  const read = (before = seen) => request.readCurrent(session, request.readsBefore, before)
  if (request.rowLocks?.areKnown) return await writeBehindLocks(parts, session, request, request.rowLocks, lock)
  if (mayWait) {
    const boundaries = transactionWith(session, parts.context, lock)
    return await planAndRun(parts, session, request, boundaries, () => behindLock(session, lock, read))
  }
  if (!locksAsItBegins(session)) {
    const boundaries = transactionWith(session, parts.context, lock)
    return await planAndRun(parts, session, request, boundaries, () => readBehindLock(session, lock, read, isAnswer))
  }
  // Of a text with several commands, only an error tells that the record is locked.
  let isLocked = false
  try {
    const boundaries = transactionWith(session, parts.context, lock, { mustBeFree: true })
    return await planAndRun(parts, session, request, boundaries, () => {
      isLocked = true
      return read()
    })
  } catch (error) {
    if (isLocked || !isLockedByOther(error)) throw error
  }
  const unlocked = await read()
  return isAnswer(unlocked)
    ? unchanged(parts, request, unlocked)
    : await writeInTransaction(parts, session, request, unlocked)
}

/** An attempt that begins again, as rules need locks that other writers had. */
async function writeBehindLocks(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  locks: RowLocks,
  lock: Lock | undefined,
): Promise<Written> {
  const boundaries = transactionWith(session, parts.context, undefined)
  const own = new Map(lock && [[lock.resource, [lock.values.id]]])
  return await planAndRun(parts, session, request, boundaries, async () => {
    await locks.lockFirst(session, own)
    return await request.readCurrent(session, request.readsBefore)
  })
}

async function planAndRun(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  whole: Boundaries,
  read: () => Promise<Seen>,
): Promise<Written> {
  const { isTransaction } = parts.context.db
  const carryOutNow = (now: Seen) => carryOut(parts, session, request, now)
  const stored = isTransaction ? savepoint : whole
  const boundaries = request.rollsBack ? undone(stored, parts.context.dialect.checkDeferred) : stored
  if (session.beginsAsReader && !request.alwaysWrites && !isTransaction) {
    return await inReadersTransaction(session, boundaries, read, carryOutNow)
  }
  return await inTransaction(session, boundaries, async () => await carryOutNow(await read()))
}

/** Whether nothing is to be written, so that what was read is the answer. */
function isAnswer({ diff, record }: Seen): boolean {
  return isSettled(diff) && record !== undefined
}

/** Returns what sends the last statements. */
async function carryOut(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  seen: Seen,
): Promise<() => Promise<Written>> {
  if (isAnswer(seen)) return async () => unchanged(parts, request, seen)
  const decision = await planWrite(parts, session, request, seen)
  if ('refusal' in decision) throw new CrudError(decision.refusal)
  request.notePlan?.({ steps: decision.ordered.steps, hidden: seen.diff.hidden })
  const ruled = mayRunRules(parts, request.at) ? await ruleWrite(parts, session, request, seen) : undefined
  await ruled?.validate()
  return await runAndReadBack(parts, session, request, decision, seen, ruled)
}

function unchanged({ statements }: WriteParts, { id, at, rollsBack }: WriteRequest, seen: Seen): Written {
  const plan = rollsBack ? { steps: [], inserted: [], result: id } : undefined
  return { id, json: shownRecord(statements, at, seen.record, statements.noteUnshown), plan }
}

/** The request with less to read, if the error says that the record is too large to be read; else undefined. */
function withLessToRead({ context }: WriteParts, request: WriteRequest, error: unknown): WriteRequest | undefined {
  if (error instanceof AnswerTooLargeError) return { ...request, readsBefore: 'state', blind: undefined }
  if (error instanceof CrudError || databaseErrorKind(error) !== 'tooLarge') return undefined
  // The database itself cannot build the record.
  if (request.readsBefore === 'state' && !request.readsBack)
    throw recordTooLarge(request.at, request.id, context.maxAnswer)
  return { ...request, readsBefore: 'state', readsBack: false }
}
