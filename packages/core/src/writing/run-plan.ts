import { CrudError } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { askedAfterRules } from '../planning/decide/asked-again.ts'
import type { GuardedRows } from '../planning/decide/guarded-rows.ts'
import type { Changes } from '../planning/diff/changes.ts'
import type { Move } from '../planning/diff/move.ts'
import { type NewIds, newIdsOf } from '../planning/order/new-ids.ts'
import { type OrderedChanges, type OrderedStep, sizeOfStep } from '../planning/order/ordered.ts'
import {
  groupSteps,
  portionsOf,
  withMarkedSwaps,
  withoutSwaps,
  withSingleInserts,
} from '../planning/order/split-steps.ts'
import type { Decided } from '../planning/public/outcome.ts'
import { toPlan, toPlanOfMany } from '../planning/public/plan.ts'
import { isNew, type RowId } from '../planning/rows.ts'
import type { StoredByWrite } from '../rules/stages/end-together.ts'
import type { RuledWrite } from '../rules/stages/ruled-write.ts'
import { behind, pipeline, type Session, turnWithin } from '../session/session.ts'
import type { Transaction } from '../session/transaction.ts'
import type { WriteStatements } from '../sql/write-statements.ts'
import type { Attempt } from './attempt.ts'
import { readBackMany } from './bulk/read-many.ts'
import { checkAllowed, readIfAllowed } from './checks/check-allowed.ts'
import type { GatheredWrite } from './effects/gather-write.ts'
import { checkMatch, effectsOf, effectsSubject, prepareToKeep } from './effects/gathering.ts'
import { type LinksLeft, linksLeft } from './links-left.ts'
import { placeAfter } from './moves.ts'
import { mustPrepareIds, prepareIds } from './new-row-ids.ts'
import { forManyRows } from './plan-write.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { readKept, readRecord, readWithLinks } from './reads/read-record.ts'
import { noteMany, noteResult } from './repeats.ts'
import { runGroup } from './run-group.ts'
import type { Current, WriteCall, WriteParts, Written } from './write-call.ts'

/**
 * Runs a plan, asks policies about what is stored, runs the rules that come after, reads the record and commits. The
 * last statements, and those behind them, go in one message where the session pipelines.
 */
export async function runPlan(
  parts: WriteParts,
  transaction: Transaction,
  call: WriteCall,
  attempt: Attempt,
  decided: Decided,
  current: Current,
  ruled: RuledWrite | undefined,
  gathered?: GatheredWrite,
): Promise<Written> {
  const first = forManyRows(parts, call.operation, current.diff.changes)
  return await behind(transaction.session, first, () =>
    runSteps(parts, transaction, call, attempt, decided, current, ruled, gathered),
  )
}

async function runSteps(
  parts: WriteParts,
  { session, commitBehind }: Transaction,
  call: WriteCall,
  attempt: Attempt,
  { ordered: planned, guarded }: Decided,
  current: Current,
  ruled: RuledWrite | undefined,
  gathered: GatheredWrite | undefined,
): Promise<Written> {
  const isMarked = planned.steps.some(({ step }) => step === 'stamp')
  const ordered = isMarked ? await withMoment(parts.statements, session, planned, call.now) : planned
  const { takeStored } = parts.end ?? NO_END
  const keepsIds = parts.context.dialect.pipelining?.keepsIds === true && takeStored === undefined
  const newIds = newIdsOf(
    ordered,
    guarded,
    keepsIds,
    gathered?.namedRows ?? ruled?.namedRows,
    gathered?.gathering.drawn,
  )
  if (mustPrepareIds(ordered, newIds)) await prepareIds(parts, session, ordered, newIds)
  if (ordered.steps.some(({ step }) => step === 'swap')) await prepareSwap(parts, session)
  const { assignedByInsert, assignedOneByOne } = newIds
  const groups = groupsOf(parts, session, withSingleInserts(ordered, assignedOneByOne), newIds, call.now)
  // What comes behind can only name ids that are known, or that the transaction keeps.
  const mayBeKept = keepsIds && call.operation !== 'bulk'
  const mustKnow = gathered?.awaitsIds === true || !mayBeKept
  const awaitsIds = assignedOneByOne.size > 0 || (assignedByInsert.size > 0 && mustKnow)
  const last = awaitsIds ? undefined : groups.pop()
  let rows = 0
  for (const group of groups) {
    await runGroup(parts, session, group, newIds)
    for (const step of group) rows += sizeOfStep(step)
    const turn = turnWithin(parts.context.dialect, rows + 1)
    if (turn === undefined) continue
    await turn
    rows = 0
  }
  const runLast = async () => {
    if (last !== undefined) await runGroup(parts, session, last, newIds)
  }
  const links = mayCheckLinks(parts, attempt, current)
    ? linksLeft(parts.context, call.at.path.resource, current)
    : undefined
  const moved = ownMoves(call, current.diff.changes)
  const readNow = () => readBack(parts, session, call, attempt, ordered, newIds, links, moved)
  const note = () => noteWritten(parts, session, call, current, resultsOf(ordered, newIds))
  const readRecord = call.repeat === undefined ? readNow : () => noteAndRead(session, note, readNow)
  const runsRules = ruled?.runsAfter === true
  const keepsWrite = gathered?.gathering.isKept === true
  if (!runsRules && gathered?.looksAgain !== true && (!keepsWrite || gathered.isKnown(newIds))) {
    const keep = keepsWrite ? await keepOf(parts, session, call, gathered, ordered, newIds) : undefined
    const besides = keepsWrite ? keep : gathered && (() => gathered.readAgain(newIds))
    const read = besides === undefined ? readRecord : () => withAnswer(session, readRecord, besides)
    const runAndRead = () => pipeline(session, runLast, () => readIfAllowed(parts, session, guarded, newIds, read))
    const [, answer] = await commitBehind(runAndRead)
    takeStored?.(storedRowsOf(parts, session, guarded, current, newIds))
    return writtenAs(call, current, ordered, newIds, answer, ruled, gathered)
  }
  const checkAndReadAgain = () =>
    readIfAllowed(parts, session, guarded, newIds, async () => await gathered?.readAgain(newIds))
  await pipeline(session, runLast, checkAndReadAgain)
  gathered?.note(newIds)
  if (runsRules) await ruled.runAfter(newIds.ids)
  const { context } = parts
  const mayBeLost = runsRules && attempt.asksAgain && context.dialect.othersMayWrite
  const asked = mayBeLost ? askedAfterRules(guarded, context.rights) : []
  if (gathered !== undefined && call.effects?.match !== undefined) {
    await gathered.lookAgain()
    checkMatch(gathered.gathering, call, effectsSubject(call, idOf(call, ordered, newIds)))
  }
  const keep = keepsWrite ? await keepOf(parts, session, call, gathered, ordered, newIds) : undefined
  const looksLater = gathered !== undefined && call.effects?.match === undefined
  const readAll = looksLater ? () => withAnswer(session, readRecord, () => gathered.lookAgain()) : readRecord
  const read = keep === undefined ? readAll : () => withAnswer(session, readAll, keep)
  const answer = await commitBehind(() => readIfAllowed(parts, session, asked, newIds, read))
  takeStored?.(storedRowsOf(parts, session, guarded, current, newIds))
  return writtenAs(call, current, ordered, newIds, answer, ruled, gathered)
}

const NO_END: Partial<NonNullable<WriteParts['end']>> = {}

/** What a write has stored, for policies at the end of all. */
function storedRowsOf(
  parts: WriteParts,
  session: Session,
  guarded: readonly GuardedRows[],
  { diff: { changes } }: Current,
  { ids }: NewIds,
): StoredByWrite {
  const stored = guarded.filter(({ when }) => when === 'once')
  const idOf = (row: RowId) => (isNew(row) ? ids[row.new] : row) as Id
  const rows = stored.map((one) => ({ ...one, rows: new Map([...one.rows].map(([row, at]) => [idOf(row), at])) }))
  const linked = [...changes.linked, ...changes.unlinked].flatMap(({ link, from }) =>
    isNew(from) ? [] : [{ resource: link.source, id: from }],
  )
  const edited = [...changes.updates, ...linked]
  return { guarded: rows, edited, askAgain: (again) => checkAllowed(parts, session, again) }
}

/** What adds the write to the history, once all is known of it. */
function keepOf(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { gathering, note }: GatheredWrite,
  ordered: OrderedChanges,
  newIds: NewIds,
) {
  note(newIds)
  return prepareToKeep(parts, session, gathering, call, effectsSubject(call, idOf(call, ordered, newIds)))
}

/** Reads an answer, and something else behind it. */
async function withAnswer<Answer>(
  session: Session,
  read: () => Promise<Answer>,
  other: () => Promise<void>,
): Promise<Answer> {
  const [answer] = await pipeline(session, read, other)
  return answer
}

/**
 * Whether links in the answer may be those of another writer, and another attempt may help. If the last one has found
 * other links than it planned, and this one begins from the same record, then the database or a rule has made them.
 */
function mayCheckLinks(
  { context, statements }: WriteParts,
  { readsBack, answeredFrom }: Attempt,
  { basis }: Current,
): boolean {
  const isPossible = readsBack && statements.pipelined !== undefined && !context.db.isTransaction
  return isPossible && answeredFrom !== basis?.json
}

function writtenAs(
  call: WriteCall,
  { count, diff }: Current,
  ordered: OrderedChanges,
  newIds: NewIds,
  answer: Pick<Written, 'json' | 'isOutOfSight'>,
  ruled: RuledWrite | undefined,
  gathered: GatheredWrite | undefined,
): Written {
  const { operation, rollsBack } = call
  const ids = resultsOf(ordered, newIds)
  const isBulk = operation === 'bulk'
  const many = isBulk ? { ids: ids as readonly Id[], count: count ?? 1 } : undefined
  const moved = ownMoves(call, diff.changes)
  const movedTo = moved !== undefined && !isBulk ? { movedTo: placeAfter(call, moved) } : undefined
  const id = idOf(call, ordered, newIds)
  gathered?.note(newIds)
  const effects = gathered && effectsOf(gathered.gathering, call, effectsSubject(call, id))
  const isGone = operation === 'undo' && ids.length === 0
  const written = {
    ...answer,
    id: isBulk ? undefined : ids[0],
    many,
    ...movedTo,
    ...(effects && { effects }),
    ...(isGone && { isOutOfSight: true }),
  }
  if (rollsBack) return { ...written, plan: isBulk ? toPlanOfMany(ordered) : toPlan(ordered) }
  return ruled === undefined ? written : { ...written, left: ruled.left(newIds.ids) }
}

/** The moves of the records that the request is about: an undo may move others. */
function ownMoves(call: WriteCall, { moved }: Changes): Changes['moved'] {
  if (moved === undefined || call.operation !== 'undo') return moved
  const own = moved.filter(({ resource, id }) => resource === call.at.path.resource && id === call.id)
  return own.length === 0 ? undefined : own
}

/** The id of the record that the request is about. */
function idOf(call: WriteCall, ordered: OrderedChanges, newIds: NewIds): Id | undefined {
  return call.operation === 'delete' ? call.id : resultsOf(ordered, newIds)[0]
}

/** SQLite parks rows at ids that no record has. If a foreign key names one in the end, it refuses to commit. */
async function prepareSwap({ statements }: WriteParts, session: Session): Promise<void> {
  if (statements.deferForeignKeys !== undefined) await session.rows(statements.deferForeignKeys, [])
}

/**
 * What one statement does. Where an error has to tell the row, or cannot be looked into later, each step is one. So it
 * is where no transaction keeps ids: Citus takes no INSERT that names the id of another one by a subquery. With
 * settings, too: a policy of PostgreSQL's that looks at other rows sees none that the same statement has written.
 */
function groupsOf(
  { context, statements }: WriteParts,
  { settings }: Session,
  ordered: OrderedChanges,
  newIds: NewIds,
  now: Date,
): (readonly OrderedStep[])[] {
  if (statements.deferForeignKeys !== undefined)
    return withoutSwaps(ordered).flatMap((step) => portionsOf(step, context.dialect.mostRowsAtOnce).map((one) => [one]))
  const steps = withMarkedSwaps(ordered, now)
  const canName = context.dialect.pipelining?.keepsIds === true || newIds.assignedByInsert.size === 0
  const canJoin = statements.pipelined !== undefined && settings === undefined && canName && !awaitsParts(newIds)
  const isJoined = canJoin && !ordered.rowByRow && !context.db.isTransaction
  return isJoined ? groupSteps(steps) : steps.map((step) => [step])
}

/** Whether an id has a part that only the INSERT of its owner tells. */
function awaitsParts({ belowNew, assignedOneByOne }: NewIds): boolean {
  return belowNew.some(({ owner }) => owner !== undefined && assignedOneByOne.has(owner.by.target))
}

/** Notes what the request with a key has written, and reads it. */
async function noteAndRead<Answer>(
  session: Session,
  note: () => Promise<void>,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const [, answer] = await pipeline(session, note, read)
  return answer
}

async function noteWritten(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { count }: Current,
  ids: readonly (Id | undefined)[],
): Promise<void> {
  if (call.operation !== 'bulk') await noteResult(parts, session, call, ids[0])
  else await noteMany(parts, session, call, { ids: ids as readonly Id[], count: count ?? 1 })
}

async function readBack(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { readsBack }: Attempt,
  ordered: OrderedChanges,
  newIds: NewIds,
  links: LinksLeft | undefined,
  moved: readonly Move[] | undefined,
): Promise<Pick<Written, 'json' | 'isOutOfSight'>> {
  const { context, statements } = parts
  if (!readsBack) return { json: undefined }
  if (call.operation === 'bulk') {
    return { json: await readBackMany(parts, session, call, resultsOf(ordered, newIds) as readonly Id[], moved) }
  }
  const at = placeAfter(call, moved)
  if (ordered.results.length === 0) return { json: undefined }
  const [id] = resultsOf(ordered, newIds)
  const { pipelined } = statements
  try {
    const record =
      id === undefined && pipelined !== undefined
        ? await readKept(session, statements, pipelined, at)
        : links !== undefined && pipelined !== undefined
          ? await readWithLinks(session, statements, pipelined, at, id as Id, links)
          : await readRecord(session, statements, at, id as Id)
    return { json: recordToClientJson(statements, at, record, statements.noteUnshown) }
  } catch (error) {
    if (!(error instanceof CrudError)) throw error
    // The write may take the record out of the caller's sight.
    if (context.rights !== undefined || session.settings !== undefined) return { json: undefined, isOutOfSight: true }
    // Not one for the client: by then the write may be committed.
    throw new Error('the record cannot be read after it was written', { cause: error })
  }
}

/** The ids of the records that the request is about, but for those that it deletes; undefined where they are not known
 * yet. */
function resultsOf({ results }: OrderedChanges, { ids }: NewIds): readonly (Id | undefined)[] {
  return results.map((result) => (isNew(result) ? ids[result.new] : result))
}

/**
 * Gives the records that are marked as deleted their moment: one for all of a write, by which they are known to be
 * deleted together. No record that an owner among them has lost before has the same, whatever the clocks say and
 * whatever the columns round: with it, that one would come back.
 */
async function withMoment(
  statements: Pick<WriteStatements, 'stampTaken'>,
  session: Session,
  ordered: OrderedChanges,
  now: Date,
): Promise<OrderedChanges> {
  const owners = ordered.steps.flatMap((step) =>
    step.step === 'stamp' ? step.resource.owns.map((owns) => ({ owns, ids: step.ids })) : [],
  )
  const time = now.getTime()
  let later = 0
  const at = () => new Date(time + later).toISOString()
  while (owners.length > 0) {
    const { query, values } = statements.stampTaken(owners, at())
    if ((await session.rows(query, values)).length === 0) break
    later = later * 2 + 1
  }
  return {
    ...ordered,
    steps: ordered.steps.map((step) => (step.step === 'stamp' ? { ...step, at: at() } : step)),
  }
}
