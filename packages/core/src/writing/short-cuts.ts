import { type RowAction, restsOnOthers } from '../asking/policies/rights.ts'
import type { Selection } from '../asking/select/selection.ts'
import { idsOf, wholeRecordAt } from '../asking/select/selections.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import type { Draft } from '../planning/body/draft.ts'
import { askedAgain } from '../planning/decide/asked-again.ts'
import { type GuardedRows, guardedAfter } from '../planning/decide/guarded-rows.ts'
import { needingOf } from '../planning/decide/lookups.ts'
import { mayDeleteOwned, mayPatchBlind, rowsDeletedWith } from '../planning/decide/may-be-blind.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { noChanges, sameValue } from '../planning/diff/changes.ts'
import { newDiff } from '../planning/diff/diff.ts'
import { NO_NEW_IDS } from '../planning/order/new-ids.ts'
import type { RecordData } from '../planning/rows.ts'
import { databaseErrorKind, subjectOf } from '../session/database-errors.ts'
import { behind, pipeline, pipelineAll, type Session } from '../session/session.ts'
import { transaction, withTransaction } from '../session/transaction.ts'
import type { QueryContext } from '../sql/context.ts'
import { CHANGED, raisedBy } from '../sql/dialect/dialect.ts'
import type { Attempt } from './attempt.ts'
import { checkAllowed, mayRunRules, RightLostError, readIfAllowed } from './checks/check-allowed.ts'
import { isNothingToLock, lockOf, rowsToLock } from './lock.ts'
import { planWrite } from './plan-write.ts'
import { recordToClientJson, sendable } from './reads/client-json.ts'
import { recordValues } from './reads/read-record.ts'
import { runPlan } from './run-plan.ts'
import { ownerInPath } from './vacancy.ts'
import type { Current, DeleteCall, UpdateCall, WriteCall, WriteParts, Written } from './write-call.ts'

/**
 * A short cut for a write that does not depend on what the record holds, so it needs no reading first: a PATCH of plain
 * fields, a DELETE of a record that nothing can refer to. It saves a round trip.
 *
 * Returns undefined if the current state decides; if it changed nothing; and if the database or a policy refused it.
 * Then the record has to be read, to tell what becomes of the request.
 */
export async function writeBlind(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  begin: string,
): Promise<Written | undefined> {
  const { precondition, maxAffected } = call
  // In the caller's transaction there is one attempt only, so what is refused could not be looked at.
  if (precondition !== undefined || maxAffected !== undefined || parts.context.db.isTransaction) return undefined
  try {
    if (call.operation === 'patch') return await patchBlind(parts, session, call, begin)
    return call.operation === 'delete' ? await deleteBlind(parts, session, call, begin) : undefined
  } catch (error) {
    const isAnswer = error instanceof CrudError ? error.code === 'CRUD_ERR_FORBIDDEN' : isRefused(error)
    if (isAnswer) return undefined
    throw error
  }
}

async function patchBlind(
  parts: WriteParts,
  session: Session,
  { at, id, draft, readsBack }: UpdateCall,
  begin: string,
): Promise<Written | undefined> {
  const { context, statements } = parts
  // SQLite: only a transaction that begins as a reader may look whether there is something to write.
  if (!context.dialect.othersMayWrite && !session.beginsAsReader) return undefined
  if (!context.dialect.hasComparingUpdates || !mayPatchBlind(draft) || mayRunRules(parts, at, 'ofPatches'))
    return undefined
  const { update, wouldChange, toValues } = statements.blindUpdate(at.path, draft.values)
  const ofRecord = recordValues(at, id)
  const values = toValues(ofRecord, draft.values)
  const guarded = context.rights === undefined ? NONE : rowsAsked(parts, { at, id, draft })
  const lock = isLockedByUpdate(context, at) ? undefined : lockOf(context, statements, at, id)
  const read = async () => (readsBack ? await session.value<string>(statements.record(at.path), ofRecord) : NOT_READ)
  const checkAndRead = () => readIfAllowed(parts, session, guarded, NO_NEW_IDS, read)
  const runUpdate = async () => {
    if (wouldChange === undefined) return (await session.rows(update, values)).length > 0
    // A trigger may leave the row as it is.
    return (await session.run(update, values)).changes !== 0
  }
  const updateAndRead = () => pipeline(session, runUpdate, checkAndRead)

  return await withTransaction(session, transaction(begin), async ({ commitBehind }) => {
    if (wouldChange !== undefined && (await session.value(wouldChange, values)) === undefined) return undefined
    const [changed, json] = await behind(session, lock, () => commitBehind(updateAndRead))
    // A policy may be the reason why nothing changed.
    if (!changed && context.rights !== undefined) return undefined
    if (typeof json !== 'string')
      return changed ? context.rights && { id, json: undefined, isOutOfSight: true } : undefined
    const record = recordToClientJson(statements, at, sendable(json, context.maxAnswer), statements.noteUnshown)
    // Without a change nothing was locked, so others may have written before the record was read.
    return changed || hasValues(record, draft) ? { id, json: record } : undefined
  })
}

/** Whether the JSON of a record shows what a PATCH of plain fields sets. */
function hasValues(json: string | undefined, { resource: { members }, values }: Draft): boolean {
  if (json === undefined || json === NOT_READ) return false
  const record = JSON.parse(json) as RecordData
  return members.every(
    ({ property }, position) => values[position] === undefined || sameValue(values[position], record[property]),
  )
}

/**
 * A record without owners is updated in the very row that others lock. An UPDATE that waits for it looks at the row
 * again, but its subqueries have what was there before: where a policy reads more than the row, the lock comes first.
 */
function isLockedByUpdate({ rights }: QueryContext, { owners, path: { resource } }: Address): boolean {
  if (owners.length > 0 || resource.recursive.length > 0) return false
  return rights === undefined || !(['View', 'EditBefore'] as const).some((one) => restsOnOthers(rights, resource, one))
}

/** The rows that policies are asked about when the record is written. */
function rowsAsked(
  { context: { dialect, rights } }: WriteParts,
  { at, id, draft }: Pick<UpdateCall, 'at' | 'id' | 'draft'>,
): readonly GuardedRows[] {
  const { resource } = at.path
  const rows = new Map([[id, undefined]])
  const stored: GuardedRows = { resource, action: 'EditAfter', rows, when: 'once' }
  if (rights === undefined || !dialect.othersMayWrite) return [stored]
  const update = { resource, id, owner: undefined, before: { id }, values: draft.values, pointer: '' }
  const diff = { changes: { ...noChanges(), updates: [update] }, listed: [{ id, draft }] }
  return [stored, ...askedAgain(diff, new Map(), rights, { resource, ids: new Set([id]), owners: NONE })]
}

async function deleteBlind(
  parts: WriteParts,
  session: Session,
  { at, id, permit }: DeleteCall,
  begin: string,
): Promise<Written | undefined> {
  const { context, statements } = parts
  const { resource } = at.path
  const along = rowsDeletedWith(at.path)
  if (along === undefined || mayRunRules(parts, at) || !mayDeleteOwned(resource, permit)) return undefined
  const removal = statements.blindDelete(at.path, along)
  const values = recordValues(at, id)
  const owner = ownerInPath(at)
  const own = { resource, ids: new Set([id]), owners: owner === undefined ? NONE : [owner] }
  const guarded = context.rights === undefined ? NONE : guardedAfter(newDiff(), context.rights, own)
  const remove = async () => {
    let gone: readonly unknown[] = []
    for (const statement of removal) gone = await session.rows(statement, values)
    // Others of the statements may have removed something. In a pipeline there are none, and the commit is sent
    // already.
    if (gone.length === 0 && !session.pipelines) throw new NothingRemovedError()
    return gone
  }
  const removeAndCheck = () => pipeline(session, remove, () => checkAllowed(parts, session, guarded))

  return await withTransaction(session, transaction(begin), async ({ commitBehind }) => {
    const lock = lockOf(context, statements, at, id)
    const [gone] = await behind(session, lock, () => commitBehind(removeAndCheck))
    return gone.length === 0 ? undefined : GONE
  })
}

const NONE: readonly never[] = []

/** In place of the record's JSON. */
const NOT_READ = ''

const GONE: Written = { id: undefined, json: undefined }

class NothingRemovedError extends Error {
  override readonly name = 'NothingRemovedError'
}

/** Whether the database refused what it was asked, so that the record has to be looked at. Else it could not do
 * anything. */
function isRefused(error: unknown): boolean {
  if (error instanceof PendingAnswersError) return false
  return subjectOf(error) !== 'moment' && databaseErrorKind(error) !== 'tooLarge'
}

/**
 * A short cut, on a session that pipelines: plans from what was read without a lock, and sends all of the write in one
 * message. The database checks under the lock that the record is still the same. This saves a round trip.
 *
 * Returns undefined if it is not the same, or if the request would be refused: that is decided under the lock.
 */
export async function writeOptimistically(
  parts: WriteParts,
  session: Session,
  call: UpdateCall,
  attempt: Attempt,
  current: Current,
): Promise<Written | undefined> {
  const { context, statements } = parts
  const { at, id } = call
  const { basis, record, unreadIds } = current
  const { pipelined } = statements
  const lock = lockOf(context, statements, at, id)
  if (pipelined === undefined) return undefined
  if (attempt.readsBefore === 'state' || basis === undefined) return undefined
  const { changes } = current.diff
  if (!isNothingToLock(await rowsToLock(parts, session, changes, { needing: needingOf(changes) }))) return undefined
  const decision = await planWrite(parts, session, call, attempt, current, { policiesLater: true })
  if ('refusal' in decision) return undefined
  const { resource } = at.path
  const isSame = (selection: Selection, json: string, action?: RowAction) => {
    const unchanged = pipelined.unchanged(at.path, selection, action)
    return session.rows(unchanged, { ...recordValues(at, id), json }).catch(rethrowChanged)
  }
  const checks: (() => Promise<unknown>)[] = [
    ...(lock === undefined ? [] : [() => session.rows(lock.statement, lock.values)]),
    () => isSame(basis.selection, basis.json, 'EditBefore'),
  ]
  // The precondition was about the whole record: the plan may have been made from another part of it.
  if (call.precondition !== undefined && record !== undefined && record !== basis.json) {
    checks.push(() => isSame(wholeRecordAt(call.at.path, context.fieldRights), record))
  }
  if (unreadIds !== undefined) checks.push(() => isSame(idsOf(resource), unreadIds))
  checks.push(() => checkAllowed(parts, session, decision.before).catch(rethrowRefused))
  try {
    return await withTransaction(session, transaction(context.dialect.begin), async (tx) => {
      // Where both fail, the checks say why.
      const [, written] = await pipeline(
        session,
        () => pipelineAll(session, checks),
        () => runPlan(parts, tx, call, attempt, decision, current, undefined),
      )
      return written
    })
  } catch (error) {
    if (error instanceof OpenError || error instanceof RightLostError) return undefined
    throw error
  }
}

/** The record is not what it was when the write was planned, or the write is refused. */
class OpenError extends Error {
  override readonly name = 'OpenError'
}

function rethrowChanged(error: unknown): never {
  throw raisedBy(error) === CHANGED ? new OpenError(CHANGED, { cause: error }) : error
}

/** Under the lock, the refusal has its pointers. */
function rethrowRefused(error: unknown): never {
  throw error instanceof CrudError ? new OpenError(error.message, { cause: error }) : error
}
