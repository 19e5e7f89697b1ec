import { type Refusal, tooManyAffected } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { draftsThatNeedIds, type MutableDraft } from '../planning/body/draft.ts'
import type { GuardedRows } from '../planning/decide/guarded-rows.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts, noLookups } from '../planning/decide/lookups.ts'
import { type Changes, rowsIn } from '../planning/diff/changes.ts'
import { type Decided, decide } from '../planning/public/outcome.ts'
import type { RowLocks } from '../rules/rows/row-locks.ts'
import { checkGivenIds } from '../rules/stages/set-values.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { withRetries } from '../session/retries.ts'
import { behind, type Command, causeOf, type Session, turnWithin } from '../session/session.ts'
import { inReadTransaction } from '../session/transaction.ts'
import { MOST_BOUND } from '../sql/steps/step-shape.ts'
import type { Prepared, SlotValues } from '../sql/text/prepare.ts'
import type { WriteStatements } from '../sql/write-statements.ts'
import type { Attempt } from './attempt.ts'
import { beforeConflict } from './checks/check-allowed.ts'
import { behindRows, rowsToLock } from './lock.ts'
import type { Current } from './write-call.ts'
import { draftsOf, type WriteCall, type WriteParts } from './write-call.ts'

interface AskedBefore {
  /** The rows that policies are asked about as they are before the write. */
  readonly before: readonly GuardedRows[]
}

/**
 * Looks up what has to be known of other records, and plans. `policiesLater`: policies are asked about the rows behind
 * the lock, and not yet.
 */
export async function planWrite(
  parts: WriteParts,
  session: Session,
  { operation, permit, maxAffected }: WriteCall,
  { writing, asksAgain, rowLocks }: Attempt,
  { diff, results, own, affected }: Current,
  { policiesLater }: { readonly policiesLater: boolean } = POLICIES_NOW,
): Promise<(Decided & AskedBefore) | { readonly refusal: Refusal }> {
  const { context, statements } = parts
  const { rights, dialect } = context
  const turns = () => turnWithin(dialect, rowsIn(diff.changes))
  const turn = turns()
  if (turn !== undefined) await turn
  const all = lookupsOf(diff, rights, own)
  const lookups = policiesLater && all.guarded.length > 0 ? { ...all, guarded: [] } : all
  const othersMayWrite = context.dialect.othersMayWrite && asksAgain
  const regarding = { writing, permit, rights, own, othersMayWrite }
  if (diff.changes.arranged !== undefined) await lockOtherEnds(rowLocks, session, diff.changes)
  const rows = await rowsToLock(parts, session, diff.changes, lookups)
  const first = forManyRows(parts, operation, diff.changes)
  if (turn !== undefined) await turns()
  const ask = async () =>
    isNothing(lookups) ? noFacts : await behind(session, first, () => lookUp(statements, session, lookups))
  const facts = await behindRows(parts, session, rows, ask)
  if (turn !== undefined) await turns()
  checkGivenIds(diff.changes, facts)
  const decision = decide(diff, results, facts, lookups, regarding)
  if (!('refusal' in decision)) {
    const isTooMuch = maxAffected !== undefined && affected > maxAffected
    return isTooMuch ? { refusal: tooManyAffected(maxAffected) } : { ...decision, before: all.guarded }
  }
  return { refusal: await beforeConflict(parts, session, diff.changes, decision.refusal) }
}

/** A new link takes a place in the array of its other end, too: no other writer gives places there meanwhile. */
async function lockOtherEnds(locks: RowLocks | undefined, session: Session, { linked }: Changes): Promise<void> {
  const ends = new Map<Resource, Set<Id>>()
  for (const { link, to } of linked) {
    if (otherEnd(link)?.order !== undefined) ends.set(link.target, (ends.get(link.target) ?? new Set<Id>()).add(to))
  }
  if (ends.size > 0) await locks?.lock(session, ends)
}

const POLICIES_NOW = { policiesLater: false }

/** Stands before the statements of a write that carry so many rows or ids. In the caller's own transaction it would not
 * end with the write. */
export function forMany({ context, statements }: WriteParts, rows: number): Command | undefined {
  const { plansWithoutValues: statement } = statements
  if (statement === undefined || rows <= MOST_BOUND || context.db.isTransaction) return undefined
  return { statement, values: [] }
}

/** {@link forMany} for the rows of one record, which may be many. A write of many records has begun so. */
export function forManyRows(
  parts: WriteParts,
  operation: WriteCall['operation'],
  changes: Changes,
): Command | undefined {
  if (parts.statements.plansWithoutValues === undefined || operation === 'bulk') return undefined
  return forMany(parts, rowsIn(changes))
}

/** Asks the database. */
export async function lookUp(statements: WriteStatements, session: Session, lookups: Lookups): Promise<Facts> {
  const { query, values, toFacts } = statements.lookup(lookups)
  return toFacts((await session.value<string>(query, values)) as string)
}

/** Asks the database outside of the write's transaction about so many rows, and tries again as all reads do. */
export async function lookUpOutside(
  parts: WriteParts,
  lookups: Partial<Lookups>,
  requestContext: unknown,
  rows = 1,
): Promise<Facts> {
  const { query, values, toFacts } = parts.statements.lookup({ ...noLookups, ...lookups })
  return toFacts((await askOutside(parts, query, values, requestContext, rows)) as string)
}

/** Has the only value of a query about so many rows. */
export async function askOutside(
  parts: WriteParts,
  query: Prepared,
  values: SlotValues,
  requestContext: unknown,
  rows: number,
): Promise<string | undefined> {
  const { context, sessions } = parts
  const first = forMany(parts, rows)
  const ask = () =>
    first === undefined
      ? sessions.value<string>(query, values, requestContext)
      : sessions.use(requestContext, (session) =>
          inReadTransaction(session, () => behind(session, first, () => session.value<string>(query, values))),
        )
  return await withRetries(context.db, ask)
}

/** How often the library asks for another id for one write. */
const MOST_TIMES = 3

/**
 * Gives new records other ids, where a unique key has refused ids that the library assigned: those that are taken.
 * Returns whether there were some, so that the write can be tried again. Fails if an application's `assign` returns
 * taken ids again and again.
 */
export async function assignAgain(parts: WriteParts, call: WriteCall, error: unknown, times: number): Promise<boolean> {
  if (databaseErrorKind(causeOf(error)) !== 'unique') return false
  const assigned = draftsOf(call)
    .flatMap(draftsThatNeedIds)
    .filter(({ id }) => id !== undefined && id !== chosenIn(call))
  if (assigned.length === 0 || parts.context.db.isTransaction) return false
  const ids = new Map<Resource, Set<Id>>()
  for (const { resource, id } of assigned) ids.set(resource, (ids.get(resource) ?? new Set<Id>()).add(id as Id))
  const { given } = await lookUpOutside(parts, { given: ids }, call.requestContext)
  const isTaken = ({ resource, id }: MutableDraft) => given.get(resource)?.has(id as Id) === true
  const taken = assigned.filter(isTaken)
  const [first] = taken
  if (first === undefined) return false
  if (times === MOST_TIMES) {
    throw new Error(`${first.resource.key}: id.assign returned ids that are taken, ${MOST_TIMES + 1} times`, {
      cause: error,
    })
  }
  for (const draft of taken) draft.id = draft.resource.id.assign?.()
  return true
}

function chosenIn(call: WriteCall): Id | undefined {
  return call.operation === 'create' ? call.chosenId : undefined
}
