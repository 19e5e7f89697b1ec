import { idsOf, stateOf, wholeRecordAt } from '../asking/select/selections.ts'
import { CrudError } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { NOTHING_HIDDEN } from '../planning/body/draft.ts'
import { namedBesides } from '../planning/body/nested-record.ts'
import { affectedRecords } from '../planning/decide/guarded-rows.ts'
import { addUnread, concernsUnread, removesUnread } from '../planning/diff/add-unread.ts'
import { isSettled } from '../planning/diff/diff.ts'
import { saidByKeys } from '../planning/diff/move.ts'
import { changesToCreate } from '../planning/public/plan-create.ts'
import { changesToDelete, changesToUpdate } from '../planning/public/plan-update.ts'
import type { RecordData } from '../planning/rows.ts'
import type { Session } from '../session/session.ts'
import type { Attempt } from './attempt.ts'
import { readMany } from './bulk/read-many.ts'
import { beforeConflict, checkPrecondition, mayRunRules, recordBefore } from './checks/check-allowed.ts'
import { isGathered } from './effects/current-gathering.ts'
import { readToUndo } from './history/read-to-undo.ts'
import { readToRestore } from './read-to-restore.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { readOwner } from './reads/read-record.ts'
import { dataOf, readIds, readLinkToPlan, readSelected, readState, readToPlan } from './reads/read-state.ts'
import { setRuleValues } from './rule-write.ts'
import { ownerAt, ownerInPath, vacancyRefusal } from './vacancy.ts'
import type { CreateCall, Current, DeleteCall, UpdateCall, WriteCall, WriteParts } from './write-call.ts'

/**
 * Reads the current state, and compares the body with it. Returns `before` where nothing has changed since. Fails
 * unless the precondition of the call holds.
 */
export function readCurrent(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { readsBefore, rowLocks }: Pick<Attempt, 'readsBefore' | 'rowLocks'>,
  before?: Current,
): Promise<Current> {
  switch (call.operation) {
    case 'create':
      return readToCreate(parts, session, call, readsBefore)
    case 'replace':
    case 'patch':
      return readToUpdate(parts, session, call, readsBefore, before)
    case 'delete':
      return readToDelete(parts, session, call, readsBefore)
    case 'restore':
      return readToRestore(parts, session, call)
    case 'undo':
      return readToUndo(parts, session, call, rowLocks)
    case 'bulk':
      return readMany(parts, session, call)
  }
}

/** A POST: whether there is room for the record. */
async function readToCreate(
  parts: WriteParts,
  session: Session,
  call: CreateCall,
  readsBefore: ReadsBefore,
): Promise<Current> {
  const { at, chosenId: id, draft, precondition, maxAffected } = call
  const { statements } = parts
  const owner = ownerInPath(at)
  const { diff, result } = changesToCreate(draft, owner)
  const { changes } = diff
  setRuleValues(parts, call, diff, [])
  const refusal = await vacancyRefusal(session, statements, at, id)
  const isThere = refusal === undefined || refusal.code === 'CRUD_ERR_EXISTS'
  if (isThere && precondition !== undefined) {
    checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
  }
  if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, changes, refusal))
  const affected = maxAffected === undefined ? 0 : affectedRecords(changes, NOTHING_HIDDEN)
  const own = { resource: at.path.resource, ids: NO_IDS, owners: owner === undefined ? [] : [owner] }
  return { diff, results: [result], ...NOTHING_READ, own, affected }
}

/** A PUT or PATCH: the record, compared with the body. */
async function readToUpdate(
  parts: WriteParts,
  session: Session,
  call: UpdateCall,
  readsBefore: ReadsBefore,
  before: Current | undefined,
): Promise<Current> {
  const whole = wholeRecordAt(call.at.path, parts.context.fieldRights)
  if (readsBefore === 'state' || !whole.computes || call.precondition !== undefined || call.link !== undefined) {
    return await compareWithRecord(parts, session, call, readsBefore, before)
  }
  // Computed fields are only read if the record as it is becomes the answer, or is what the precondition is about.
  const current = await compareWithRecord(parts, session, call, 'state', before)
  // Once more, so that the answer and the plan are of the same moment.
  return isSettled(current.diff) ? await compareWithRecord(parts, session, call, 'whole', undefined) : current
}

async function compareWithRecord(
  parts: WriteParts,
  session: Session,
  call: UpdateCall,
  readsBefore: ReadsBefore,
  before: Current | undefined,
): Promise<Current> {
  const { context, statements } = parts
  const { at, id, draft, link, precondition, maxAffected } = call
  const { resource } = at.path
  const hasRules = mayRunRules(parts, at) || mayRunRules(parts, at, 'ofPatches') || isGathered(parts, call)
  const { record, basis } =
    link !== undefined && precondition === undefined && !hasRules
      ? await readLinkToPlan(session, statements, at, id, link)
      : await readToPlan(session, statements, at, id, readsBefore, namedBesides(draft))
  const isSame = before !== undefined && record === before.record && basis.json === before.basis?.json
  if (isSame && before.unreadIds === undefined) return before
  if (precondition !== undefined) {
    checkPrecondition(precondition, { exists: true, json: recordToClientJson(statements, at, record, undefined) })
  }
  const ownerMatters = draft.place !== undefined || saidByKeys(draft).length > 0
  const owner = await readOwner(session, statements, resource, id, ownerMatters)
  const changesTo = (record: RecordData) => changesToUpdate(draft, record, owner)
  const data = dataOf(at, basis.selection, basis.json)
  const diff = changesTo(data)
  setRuleValues(parts, call, diff, [{ resource, record: data, owner }])
  let affected = 0
  if (maxAffected !== undefined) {
    const all = removesUnread(diff) ? changesTo(await readState(session, statements, at, id)) : diff
    affected = affectedRecords(all.changes, all.hidden)
  }
  const unreadIds = concernsUnread(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
  if (unreadIds !== undefined) addUnread(diff, resource, dataOf(at, idsOf(resource), unreadIds))
  const own = { resource, ids: new Set([id]), owners: [] }
  const read = [{ resource, record: data, owner: ownerAt(at) }]
  return { diff, results: [id], record, basis, unreadIds, own, affected, read }
}

/** A DELETE: the ids of the record and of all that it owns. Rules want to know its state. */
async function readToDelete(
  parts: WriteParts,
  session: Session,
  call: DeleteCall,
  readsBefore: ReadsBefore,
): Promise<Current> {
  const { context, statements } = parts
  const { at, id, precondition, maxAffected, hidden } = call
  const { resource } = at.path
  const isRuled = mayRunRules(parts, at) || isGathered(parts, call)
  const seesAll = context.rights === undefined
  const owner = ownerInPath(at)
  const changesIn = (record: RecordData) => ({ ...changesToDelete(resource, record, owner), hidden })
  const first = isRuled && seesAll ? stateOf(resource, context.fieldRights) : idsOf(resource)
  const all = await readSelected(session, statements, at, id, first, 'Delete')
  if (precondition !== undefined) {
    checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
  }
  const diff = changesIn(all)
  const mustSee = maxAffected !== undefined || isRuled
  const seen = seesAll || !mustSee ? all : await readState(session, statements, at, id)
  const affected = maxAffected === undefined ? 0 : affectedRecords((seesAll ? diff : changesIn(seen)).changes, hidden)
  const read = isRuled ? [{ resource, record: seen, owner: ownerAt(at) }] : []
  const own = { resource, ids: new Set([id]), owners: owner === undefined ? [] : [owner] }
  return { diff, results: [], ...NOTHING_READ, own, affected, read }
}

const NO_IDS: ReadonlySet<Id> = new Set()

const NOTHING_READ = { record: undefined, basis: undefined, unreadIds: undefined, read: [] } as const

type ReadsBefore = Attempt['readsBefore']
