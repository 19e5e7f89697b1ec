import { type BodyProblem, CrudError, invalid } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { isSettled } from '../planning/diff/diff.ts'
import { proveTransactions } from '../session/drivers/prove-transactions.ts'
import { withRetries } from '../session/retries.ts'
import { behind, type Session } from '../session/session.ts'
import {
  type Boundaries,
  boundariesOn,
  POSITION,
  type Transaction,
  undone,
  withTransaction,
} from '../session/transaction.ts'
import { assignAgain } from './assign-again.ts'
import { type Attempt, firstAttempt, nextAttempt } from './attempt.ts'
import { writeBlind } from './blind-write.ts'
import { lockMany } from './bulk/lock-many.ts'
import { readBackMany } from './bulk/read-back-many.ts'
import { checkIsolation } from './checks/check-isolation.ts'
import { mayRunRules } from './checks/may-run-rules.ts'
import type { Current } from './current.ts'
import { finalError } from './failed-write.ts'
import { behindClaim, KeyUsedError, noteMany } from './key-claim.ts'
import { lockOf, readBehindLock } from './lock.ts'
import { lostValues } from './lost-values.ts'
import { writeOptimistically } from './optimistic-write.ts'
import { forMany, planWrite } from './plan-write.ts'
import { readCurrent } from './read-current.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { writeOnceForKey } from './repeats.ts'
import { ruleWrite, runAfterCommit } from './rule-write.ts'
import { runPlan } from './run-plan.ts'
import { takeNumbers, takesNumbers } from './take-numbers.ts'
import { draftsOf, mayChangeNothing, type WriteCall, type WriteParts, type Written } from './write-call.ts'

/** Carries out a write; one whose request has a key, once. */
export async function write(parts: WriteParts, call: WriteCall): Promise<Written> {
  const carryOut = () => writeUntilDone(parts, call)
  return await (call.repeat === undefined ? carryOut() : writeOnceForKey(parts, call, call.repeat, carryOut))
}

/** Tries again while others are in the way, and without the short cuts that have failed. */
async function writeUntilDone(parts: WriteParts, call: WriteCall): Promise<Written> {
  const { context, sessions } = parts
  if (context.db.isTransaction) await checkIsolation(context)
  let attempt = firstAttempt(parts, call)
  let timesAssigned = 0
  for (;;) {
    try {
      const written = await withRetries(context.db, async (retries) => {
        if (!context.db.isTransaction) await proveTransactions(context.db)
        await parts.learnTypes?.()
        refuseLostValues(parts, call)
        return await sessions.use(call.requestContext, (session) => {
          const work = () => writeOnce(parts, session, call, attempt, retries)
          const { notePosition, rollsBack } = call
          return notePosition === undefined || rollsBack ? work() : withPosition(session, notePosition, work)
        })
      })
      if (written.committed !== undefined) runAfterCommit(parts, call, written.committed)
      return written
    } catch (error) {
      if (error instanceof KeyUsedError) throw error
      if (error instanceof PendingAnswersError) await error.answers
      if (await assignAgain(parts, call, error, timesAssigned)) {
        timesAssigned += 1
        continue
      }
      const next = nextAttempt(context, attempt, error)
      if (next === undefined) throw await finalError(parts, call, attempt, error)
      attempt = next
    }
  }
}

/** A write that has changed nothing has shown what was there, so that a read behind it sees no less. */
async function withPosition(
  session: Session,
  notePosition: (position: string) => void,
  work: () => Promise<Written>,
): Promise<Written> {
  let position: string | undefined
  session.notePosition = (found) => (position = found)
  const written = await work()
  session.notePosition = undefined
  position ??= await session.value<string>(POSITION, [])
  if (position !== undefined) notePosition(position)
  return written
}

function refuseLostValues({ context: { learnedTypes } }: WriteParts, call: WriteCall): void {
  const problems: BodyProblem[] = []
  for (const draft of draftsOf(call)) lostValues(learnedTypes, draft, problems)
  if (problems.length > 0) throw new CrudError(invalid(problems))
}

/** Blind if the request allows it, else optimistically, else under the lock. */
async function writeOnce(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  attempt: Attempt,
  retries: number,
): Promise<Written> {
  const takesShortCuts = mayTakeShortCuts(session, call, attempt)
  const begin = beginOf(parts, session, call, retries)
  if (takesShortCuts && attempt.isBlind) {
    const written = await writeBlind(parts, session, call, begin)
    if (written !== undefined) return written
  }
  if (!mayChangeNothing(call) || call.repeat !== undefined || mustReadInTransaction(parts, session, call)) {
    return await writeUnderLock(parts, session, call, attempt, begin)
  }
  const current = await readCurrent(parts, session, call, attempt)
  if (isSettled(current.diff)) return await unchanged(parts, session, call, current)
  const { changes } = current.diff
  if (takesShortCuts && session.pipelines && !attempt.writing.rowByRow && !takesNumbers(parts, changes)) {
    const written = await writeOptimistically(parts, session, call, attempt, current)
    if (written !== undefined) return written
  }
  return await writeUnderLock(parts, session, call, attempt, begin, current)
}

/** With settings, the database's own policies have a say in the write under the lock. The key of a request is claimed first. A right that was lost is asked for under it. */
function mayTakeShortCuts({ settings }: Session, { rollsBack, repeat }: WriteCall, { asksAgain }: Attempt): boolean {
  return settings === undefined && !rollsBack && repeat === undefined && asksAgain
}

/**
 * Settings are there only in the transaction. Rules need the record under the lock, so that reading it first would cost them a round trip.
 * A transaction that begins as a reader keeps no other writer waiting.
 */
function mustReadInTransaction(parts: WriteParts, session: Session, { at }: WriteCall): boolean {
  return session.settings !== undefined || session.beginsAsReader || mayRunRules(parts, at)
}

/**
 * Where a session `beginsAsReader`, a transaction that may change nothing keeps no other writer waiting until it writes. That fails as busy
 * if others have written since it first read. Then the write is tried again, in a transaction that keeps others waiting from the start.
 */
function beginOf({ context }: WriteParts, session: Session, call: WriteCall, retries: number): string {
  const isReader = session.beginsAsReader && mayChangeNothing(call) && call.repeat === undefined && retries === 0
  return isReader ? 'begin' : context.dialect.begin
}

/** The story: lock → read → plan → run → read back, in one transaction. `before`: what was read before the lock. */
async function writeUnderLock(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  attempt: Attempt,
  begin: string,
  before?: Current,
): Promise<Written> {
  const work = async (tx: Transaction) => {
    const current = await readUnderLock(parts, session, call, attempt, before)
    if (isSettled(current.diff)) return await unchanged(parts, session, call, current)
    const { changes } = current.diff
    if (takesNumbers(parts, changes)) await takeNumbers(parts, session, call, changes)
    const plan = await planWrite(parts, session, call, attempt, current)
    if ('refusal' in plan) throw new CrudError(plan.refusal)
    attempt.planned = { steps: plan.ordered.steps, hidden: current.diff.hidden }
    const ruled = await ruleWrite(parts, session, call, attempt, current)
    await ruled?.validate()
    return await runPlan(parts, tx, call, attempt, plan, current, ruled)
  }
  return await withTransaction(session, boundariesOf(parts, call, begin), (tx) =>
    behindClaim(parts, session, call, () => work(tx)),
  )
}

function boundariesOf({ context: { db, dialect } }: WriteParts, { rollsBack }: WriteCall, begin: string): Boundaries {
  const boundaries = boundariesOn(db, dialect, begin)
  return rollsBack ? undone(boundaries, dialect.checkDeferred) : boundaries
}

/** A request that may change nothing waits for other writers only if what it reads meanwhile is no answer. */
async function readUnderLock(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  attempt: Attempt,
  before: Current | undefined,
): Promise<Current> {
  if (call.operation === 'bulk') {
    await behind(session, forMany(parts, call.records.length), () => lockMany(parts, session, call, attempt))
    return await readCurrent(parts, session, call, attempt)
  }
  const lock = lockOf(parts.context, parts.statements, call.at, call.id)
  const read = (known = before) => readCurrent(parts, session, call, attempt, known)
  if (attempt.rowLocks?.areKnown) {
    await attempt.rowLocks.lockFirst(session, new Map(lock && [[lock.resource, [lock.values.id]]]))
    return await read()
  }
  const mayBeAnswer = before === undefined && (mayChangeNothing(call) || call.precondition !== undefined)
  if (lock === undefined || !mayBeAnswer) return await behind(session, lock, read)
  return await readBehindLock(session, lock, read, ({ diff }) => isSettled(diff))
}

async function unchanged(parts: WriteParts, session: Session, call: WriteCall, current: Current): Promise<Written> {
  const { statements } = parts
  const { id, at, rollsBack } = call
  const { record, results, count } = current
  const plan = rollsBack ? { steps: [], inserted: [], result: id } : undefined
  if (call.operation === 'bulk') {
    const json = call.readsBack ? await readBackMany(parts, session, call, results as readonly Id[]) : undefined
    const many = { ids: results as readonly Id[], count: count ?? 1 }
    await noteMany(parts, session, call, many)
    return { id, json, many, plan: plan && { ...plan, results } }
  }
  return { id, json: recordToClientJson(statements, at, record, statements.noteUnshown), plan }
}
