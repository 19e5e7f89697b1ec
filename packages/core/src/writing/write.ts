import { sql } from 'kysely'
import { type BodyProblem, CrudError, invalid } from '../errors.ts'
import { wakeReaders } from '../feed/wake-readers.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { isSettled } from '../planning/diff/diff.ts'
import { lockTopmost } from '../rules/rows/row-locks.ts'
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
import type { QueryContext } from '../sql/context.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { type Attempt, firstAttempt, nextAttempt } from './attempt.ts'
import { readBackMany } from './bulk/read-many.ts'
import { mayRunRules } from './checks/check-allowed.ts'
import { lostValues, spellAsStored } from './column-values.ts'
import { type Gathering, isGathered, isKept } from './effects/current-gathering.ts'
import { gatherWrite } from './effects/gather-write.ts'
import { checkMatch, effectsOf, effectsSubject, gatheringFor, whileGathering } from './effects/gathering.ts'
import { finalError } from './failed-write.ts'
import { lockOf, readBehindLock } from './lock.ts'
import { findPlaces, lockToMove, mayMove, withOwnersSaid } from './moves.ts'
import { whileDrawing } from './new-row-ids.ts'
import { assignAgain, forMany, planWrite } from './plan-write.ts'
import { readCurrent } from './read-current.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { behindClaim, KeyUsedError, noteMany, writeOnceForKey } from './repeats.ts'
import { endWrite, ruleWrite, takeNumbers, takesNumbers } from './rule-write.ts'
import { runPlan } from './run-plan.ts'
import { writeBlind, writeOptimistically } from './short-cuts.ts'
import { ownerInPath } from './vacancy.ts'
import type { Current } from './write-call.ts'
import {
  type BulkCall,
  draftsOf,
  mayChangeNothing,
  type WriteCall,
  type WriteParts,
  type Written,
} from './write-call.ts'

/** Carries out a write; one whose request has a key, once. */
export async function write(parts: WriteParts, call: WriteCall): Promise<Written> {
  const carryOut = () => writeUntilDone(parts, call)
  return await (call.repeat === undefined ? carryOut() : writeOnceForKey(parts, call, call.repeat, carryOut))
}

/** Tries again while others are in the way, and without the short cuts that have failed. */
async function writeUntilDone(parts: WriteParts, call: WriteCall): Promise<Written> {
  const { context, sessions, end } = parts
  // That of an action is one of the library.
  if (context.db.isTransaction && end === undefined) await checkIsolation(context)
  let attempt = firstAttempt(parts, call)
  let timesAssigned = 0
  for (;;) {
    try {
      const written = await withRetries(context.db, async (retries) => {
        if (!context.db.isTransaction) await proveTransactions(context.db)
        await parts.learnTypes?.()
        readAsColumns(parts, call)
        return await sessions.use(call.requestContext, (session) => {
          const work = () => writeOnce(parts, session, call, attempt, retries)
          const { notePosition, rollsBack } = call
          return notePosition === undefined || rollsBack ? work() : withPosition(session, notePosition, work)
        })
      })
      if (written.left !== undefined) endWrite(parts, call, written.left)
      return written
    } catch (error) {
      if (error instanceof KeyUsedError) throw error
      // Whoever has begun the transaction waits without it.
      if (error instanceof PendingAnswersError && end !== undefined) throw error
      if (error instanceof PendingAnswersError) await error.answers
      if (await assignAgain(parts, call, error, timesAssigned)) {
        timesAssigned += 1
        continue
      }
      const next = nextAttempt(parts, attempt, error)
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

/** Refuses values of bodies that their columns would lose, and spells all others as these do. */
function readAsColumns({ context }: WriteParts, call: WriteCall): void {
  const types = context.learnedTypes.now
  const drafts = draftsOf(call)
  const problems: BodyProblem[] = []
  for (const draft of drafts) lostValues(types, draft, problems)
  if (problems.length > 0) throw new CrudError(invalid(problems))
  if (types.key !== '') for (const draft of drafts) spellAsStored(types, draft)
}

/** Blind if the request allows it, else optimistically, else under the lock. */
async function writeOnce(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  attempt: Attempt,
  retries: number,
): Promise<Written> {
  const takesShortCuts = mayTakeShortCuts(session, call, attempt) && !isGathered(parts, call)
  const begin = beginOf(parts, session, call, retries)
  if (takesShortCuts && attempt.isBlind) {
    const written = await writeBlind(parts, session, call, begin)
    if (written !== undefined) return written
  }
  const mayReadFirst = mayChangeNothing(call) && call.repeat === undefined && !mayMove(call)
  if (!mayReadFirst || mustReadInTransaction(parts, session, call)) {
    return await writeUnderLock(parts, session, call, attempt, begin)
  }
  const current = await readCurrent(parts, session, call, attempt)
  if (isSettled(current.diff)) return await unchanged(parts, session, call, current)
  const { changes } = current.diff
  const { arranged, moved } = changes
  const mayBeOptimistic = arranged === undefined && moved === undefined && !takesNumbers(parts, changes)
  if (takesShortCuts && session.pipelines && !attempt.writing.rowByRow && mayBeOptimistic) {
    const written = await writeOptimistically(parts, session, call, attempt, current)
    if (written !== undefined) return written
  }
  return await writeUnderLock(parts, session, call, attempt, begin, current)
}

/** With settings, the database's own policies have a say in the write under the lock. The key of a request is claimed
 * first. A right that was lost is asked for under it. */
function mayTakeShortCuts({ settings }: Session, { rollsBack, repeat }: WriteCall, { asksAgain }: Attempt): boolean {
  return settings === undefined && !rollsBack && repeat === undefined && asksAgain
}

/**
 * Settings are there only in the transaction. Rules need the record under the lock, so that reading it first would cost
 * them a round trip. A transaction that begins as a reader keeps no other writer waiting.
 */
function mustReadInTransaction(parts: WriteParts, session: Session, call: WriteCall): boolean {
  const { at } = call
  return session.settings !== undefined || session.beginsAsReader || mayRunRules(parts, at) || isGathered(parts, call)
}

/**
 * Where a session `beginsAsReader`, a transaction that may change nothing keeps no other writer waiting until it
 * writes. That fails as busy if others have written since it first read. Then the write is tried again, in a
 * transaction that keeps others waiting from the start.
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
  const gathering = gatheringFor(parts, session, call, { keeps: isKept(parts, call) })
  const readAndPlan = async () => {
    const current = await readUnderLock(parts, session, call, attempt, before)
    if (isSettled(current.diff)) return { current, plan: undefined }
    const { changes } = current.diff
    if (changes.moved !== undefined) await findPlaces(parts, session, call, changes.moved)
    if (takesNumbers(parts, changes)) await takeNumbers(parts, session, call, changes)
    return { current, plan: await planWrite(parts, session, call, attempt, current) }
  }
  const work = async (tx: Transaction) => {
    const { current, plan } = await whileDrawing(parts, session, call, attempt, gathering, readAndPlan)
    if (plan === undefined) return await unchanged(parts, session, call, current, gathering)
    if ('refusal' in plan) throw new CrudError(plan.refusal)
    attempt.planned = { steps: plan.ordered.steps, hidden: current.diff.hidden }
    const gathered = gathering && (await gatherWrite(parts, session, call, attempt, current, plan.changes, gathering))
    const ruled = await ruleWrite(parts, session, call, attempt, current, gathering?.transaction)
    await ruled?.validate()
    return await runPlan(parts, tx, call, attempt, plan, current, ruled, gathered)
  }
  const written = await withTransaction(session, boundariesOf(parts, call, begin), (tx) =>
    behindClaim(parts, session, call, () => whileGathering(gathering, !call.rollsBack, () => work(tx))),
  )
  if (gathering?.isKept) wakeReaders(parts.context.db)
  return written
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
  if (mayMove(call)) {
    await lockToMove(parts, session, call, attempt)
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

async function unchanged(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  current: Current,
  gathering?: Gathering,
): Promise<Written> {
  const { statements } = parts
  const { id, at, rollsBack } = call
  const { record, results, count } = current
  const plan = rollsBack ? { steps: [], inserted: [], result: id } : undefined
  const effects = gathering && effectsOf(gathering, call, effectsSubject(call, id))
  if (gathering !== undefined) checkMatch(gathering, call, effectsSubject(call, id))
  if (call.operation === 'bulk') {
    const json = call.readsBack ? await readBackMany(parts, session, call, results as readonly Id[]) : undefined
    const many = { ids: results as readonly Id[], count: count ?? 1 }
    await noteMany(parts, session, call, many)
    return { id, json, many, plan: plan && { ...plan, results }, effects }
  }
  return { id, json: recordToClientJson(statements, at, record, statements.noteUnshown), plan, effects }
}

/** Transactions of applications that are known to be as those of the service. */
const known = new WeakSet<AnyKysely>()

/**
 * Throws a TypeError in a transaction of the application that is not isolated as the service's own ones. One that goes
 * on seeing what was there when it began would plan a write from what another writer has changed while it waited for a
 * lock, without an error: serializable transactions notice only each other.
 */
async function checkIsolation({ db, dialect }: QueryContext): Promise<void> {
  const { isolation: wanted } = dialect
  if (wanted === undefined || known.has(db)) return
  const { rows } = await sql<Record<string, string>>`show transaction_isolation`.execute(db.withoutPlugins())
  const isolation = rows[0]?.transaction_isolation
  // To PostgreSQL, these two are the same.
  if (isolation !== wanted && !(isolation === 'read uncommitted' && wanted === 'read committed')) {
    const hint = wanted === 'read committed' && isolation === 'serializable' ? `; ${SERIALIZABLE}` : ''
    throw new TypeError(
      `the transaction is in '${isolation}', where a write could undo what others have done meanwhile; begin it in '${wanted}'${hint}`,
    )
  }
  known.add(db)
}

const SERIALIZABLE = "or have the service write so, too: openPostgres(url, { engine: { isolation: 'serializable' } })"

/** Locks the topmost owners of all records that a write names, or the records themselves: by table, then by id. */
async function lockMany(
  { context, statements }: WriteParts,
  session: Session,
  call: BulkCall,
  { rowLocks }: Attempt,
): Promise<void> {
  if (context.dialect.rowLocks === undefined) return
  const records = withOwnersSaid(namedBy(call), call)
  if (rowLocks?.areKnown) await rowLocks.lockFirst(session, records)
  else await lockTopmost(statements, session, records)
}

function namedBy({ at: { path, owners }, records }: BulkCall): Map<Resource, Set<Id>> {
  const [top] = path.relations
  if (top !== undefined) return new Map([[top.source, new Set([owners[0] as Id])]])
  const named = new Map<Resource, Set<Id>>()
  const add = (resource: Resource, id: Id) => named.set(resource, (named.get(resource) ?? new Set<Id>()).add(id))
  for (const one of records) {
    if (one.operation !== 'create') add(path.resource, one.id)
    else {
      const owner = ownerInPath(one.at)
      if (owner !== undefined) add(owner.by.target, owner.id)
    }
  }
  return named
}
