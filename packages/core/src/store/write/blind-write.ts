import { databaseErrorKind } from '../../connection/database-errors.ts'
import { pipeline, type Session } from '../../connection/session.ts'
import { inReadersTransaction, inTransaction } from '../../connection/transaction.ts'
import { CrudError } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { Draft } from '../../plan/body/draft.ts'
import { askedAgain } from '../../plan/decide/asked-again.ts'
import { type GuardedRows, guardedAfter } from '../../plan/decide/guarded-rows.ts'
import { PendingAnswersError, type Permit } from '../../plan/decide/planned-actions.ts'
import { setsFieldsOnly } from '../../plan/decide/sets-fields-only.ts'
import { noChanges } from '../../plan/diff/changes.ts'
import { newDiff } from '../../plan/diff/diff.ts'
import { restsOnOthers } from '../../policies/rights.ts'
import type { QueryContext } from '../../query/context.ts'
import { NO_NEW_IDS } from '../../query/steps/new-ids.ts'
import { checkAllowed, readIfAllowed } from '../checks/check-allowed.ts'
import { recordValues } from '../read/read-record.ts'
import { sendable } from '../read/sendable.ts'
import { shownRecord } from '../read/shown.ts'
import { behindLock, lockOf, transactionWith } from './lock.ts'
import { ownerInPath } from './owner-at.ts'
import type { BlindWrite, WriteParts, WriteRequest, Written } from './write-request.ts'

/** The blind write of a PATCH; undefined where the current state decides. */
export function blindPatch(parts: WriteParts, at: Address, id: Id, draft: Draft): BlindWrite | undefined {
  const { context, statements } = parts
  // In the caller's transaction there is one attempt only, so what is refused could not be looked at.
  if (context.db.isTransaction || !setsFieldsOnly(draft)) return undefined
  const { update, wouldChange, toValues } = statements.blindUpdate(at.path, draft.values)
  const record = statements.record(at.path)
  const ofRecord = recordValues(at, id)
  const values = toValues(ofRecord, draft.values)
  const stored = context.rights === undefined ? [] : storedRecord(parts, at, id, draft)
  return {
    lock: isLockedByUpdate(context, at) ? undefined : lockOf(context, statements, at, id),
    wouldChange: wouldChange && (async (session) => (await session.value(wouldChange, values)) !== undefined),
    async write(session, readsBack) {
      const read = async () => (readsBack ? await session.value<string>(record, ofRecord) : NOT_READ)
      const checkAndRead = () => readIfAllowed(parts, session, stored, NO_NEW_IDS, read)
      const [updated, json] = await pipeline(session, () => session.rows(update, values), checkAndRead)
      // What changes nothing locks nothing: others may write before it is read. Then the record is read and compared.
      const hasChanged = wouldChange !== undefined || updated.length > 0
      if (!hasChanged) return undefined
      if (typeof json !== 'string') return context.rights && { id, json: undefined, isHidden: true }
      return { id, json: shownRecord(statements, at, sendable(json, context.maxAnswer), statements.noteUnshown) }
    },
  }
}

/**
 * A record without owners is updated in the very row that others lock. An UPDATE that waits for it looks at the row again, but its
 * subqueries have what was there before: where a policy reads more than the row, the lock comes first.
 */
function isLockedByUpdate({ rights }: QueryContext, { owners, path: { resource } }: Address): boolean {
  if (owners.length > 0 || resource.recursive.length > 0) return false
  return rights === undefined || !(['View', 'EditBefore'] as const).some((one) => restsOnOthers(rights, resource, one))
}

/** What is asked about the record when it is written. */
function storedRecord(
  { context: { dialect, rights } }: WriteParts,
  at: Address,
  id: Id,
  draft: Draft,
): readonly GuardedRows[] {
  const { resource } = at.path
  const rows = new Map([[id, undefined]])
  const stored: GuardedRows = { resource, action: 'EditAfter', rows, when: 'once' }
  if (rights === undefined || !dialect.locksRows) return [stored]
  const update = { resource, id, owner: undefined, before: { id }, values: draft.values, pointer: '' }
  const diff = { changes: { ...noChanges(), updates: [update] }, listed: [{ id, draft }] }
  return [stored, ...askedAgain(diff, new Map(), rights, { resource, id, owner: ownerInPath(at) })]
}

/** The blind write of a DELETE; undefined where the current state decides. */
export function blindDelete(parts: WriteParts, at: Address, id: Id): BlindWrite | undefined {
  const { context, statements } = parts
  if (context.db.isTransaction) return undefined
  const removal = statements.blindDelete(at.path)
  if (removal.length === 0) return undefined
  const values = recordValues(at, id)
  const own = { resource: at.path.resource, id, owner: ownerInPath(at) }
  const guarded = context.rights === undefined ? [] : guardedAfter(newDiff(), context.rights, own)
  return {
    lock: lockOf(context, statements, at, id),
    wouldChange: undefined,
    async write(session) {
      const remove = async () => {
        let gone: readonly unknown[] = []
        for (const statement of removal) gone = await session.rows(statement, values)
        return gone
      }
      const [gone] = await pipeline(session, remove, () => checkAllowed(parts, session, guarded))
      return gone.length === 0 ? undefined : GONE
    },
  }
}

/**
 * Whether the records that a record owns may be deleted with it, whichever they are. If not, the record is read: it may own none.
 */
export async function mayDeleteOwned(owner: Resource, permit: Permit | undefined): Promise<boolean> {
  if (permit === undefined || owner.owns.length === 0) return true
  const targets = new Set(owner.owns.map((owns) => owns.target))
  const actions = [...targets].map(
    (resource) => ({ action: 'Delete', resource, owners: new Set([owner]), pointers: [] }) as const,
  )
  try {
    return permit.refusalOf(actions) === undefined
  } catch (error) {
    if (!(error instanceof PendingAnswersError)) return false
    await error.answers
    return await mayDeleteOwned(owner, permit)
  }
}

/** In place of the record's JSON. */
const NOT_READ = ''

const GONE: Written = { id: undefined, json: undefined }

/**
 * Carries out a blind write. Returns undefined if that changed nothing, or if the database or a policy refused it: then the record has
 * to be read to tell what becomes of the request.
 */
export async function writeBlind(
  { context }: WriteParts,
  session: Session,
  { blind, readsBack }: WriteRequest,
): Promise<Written | undefined> {
  if (blind === undefined) return undefined
  const { lock, wouldChange, write } = blind
  const boundaries = transactionWith(session, context, lock)
  const writeAll = async () => {
    const written = await behindLock(session, lock, () => write(session, readsBack))
    // Rolls back what the transaction has done. Where statements are pipelined, the commit is sent already: nothing was changed.
    if (written === undefined && !session.pipelines) throw new NothingWrittenError()
    return written
  }
  try {
    if (wouldChange === undefined) return await inTransaction(session, boundaries, async () => writeAll)
    if (session.beginsAsReader) {
      const writeIf = async (is: boolean) => (is ? writeAll : async () => undefined)
      return await inReadersTransaction(session, boundaries, () => wouldChange(session), writeIf)
    }
    if (!(await wouldChange(session))) return undefined
    return await inTransaction(session, boundaries, async () => writeAll)
  } catch (error) {
    if (error instanceof CrudError ? error.code !== 'CRUD_ERR_FORBIDDEN' : !isRefused(error)) throw error
    return undefined
  }
}

class NothingWrittenError extends Error {
  override readonly name = 'NothingWrittenError'
}

/** Whether the database refused what it was asked, so that the record has to be looked at. Else it could not do anything. */
function isRefused(error: unknown): boolean {
  switch (databaseErrorKind(error)) {
    case 'busy':
    case 'timeout':
    case 'poolFull':
    case 'unconnected':
    case 'serverFull':
    case 'stale':
    case 'disconnected':
    case 'unavailable':
    case 'tooLarge':
      return false
    default:
      return true
  }
}
