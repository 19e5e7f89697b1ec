import type { Session } from '../../connection/session.ts'
import { CrudError, idTaken, notAllowed, placeTaken, type Refusal } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import { callerIn, NO_CALLER } from '../../model/any-caller.ts'
import { tenantIn } from '../../model/any-tenant.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { NOTHING_HIDDEN } from '../../plan/body/draft.ts'
import { namedBesides } from '../../plan/body/named-relations.ts'
import { affectedRecords } from '../../plan/decide/affected-records.ts'
import { addUnread, concernsUnread, removesUnread } from '../../plan/diff/add-unread.ts'
import { type Diff, isSettled } from '../../plan/diff/diff.ts'
import { changesToCreate } from '../../plan/public/plan-create.ts'
import { changesToDelete } from '../../plan/public/plan-delete.ts'
import { changesToUpdate } from '../../plan/public/plan-update.ts'
import type { RecordData } from '../../plan/rows.ts'
import { ownerValues } from '../../query/rows/path-condition.ts'
import type { Statements } from '../../query/statements.ts'
import { idsOf, stateOf, wholeRecordAt } from '../../reading/select/selections.ts'
import type { ReadRecord } from '../../rules/rows/tree.ts'
import { setValues } from '../../rules/stages/set-values.ts'
import { beforeConflict } from '../checks/check-planned.ts'
import { checkPrecondition, recordBefore } from '../checks/check-precondition.ts'
import { mayRunRules } from '../checks/may-run-rules.ts'
import { recordToClientJson } from '../read/client-json.ts'
import { readOwner } from '../read/read-record.ts'
import { dataOf, readIds, readSelected, readState, readToPlan } from '../read/read-state.ts'
import type { Attempt } from './attempt.ts'
import type { Current } from './current.ts'
import { ownerInPath, ownerNotFound } from './owner-at.ts'
import type { CreateCall, DeleteCall, UpdateCall, WriteCall, WriteParts } from './write-call.ts'

/**
 * Reads the current state, and compares the body with it. Returns `before` where nothing has changed since. Fails unless the
 * precondition of the call holds.
 */
export function readCurrent(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { readsBefore }: Pick<Attempt, 'readsBefore'>,
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
  const made = changesToCreate(draft, ownerInPath(at))
  const { changes } = made.diff
  setRuleValues(parts, call, made.diff, undefined)
  const refusal = await vacancyRefusal(session, statements, at, id)
  const isThere = refusal === undefined || refusal.code === 'CRUD_ERR_EXISTS'
  if (isThere && precondition !== undefined) {
    checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
  }
  if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, changes, refusal))
  const affected = maxAffected === undefined ? 0 : affectedRecords(changes, NOTHING_HIDDEN)
  return { ...made, record: undefined, basis: undefined, unreadIds: undefined, affected }
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
  if (readsBefore === 'state' || !whole.computes || call.precondition !== undefined) {
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
  const { at, id, draft, precondition, maxAffected } = call
  const { resource } = at.path
  const { record, basis } = await readToPlan(session, statements, at, id, readsBefore, namedBesides(draft))
  const isSame = before !== undefined && record === before.record && basis.json === before.basis?.json
  if (isSame && before.unreadIds === undefined) return before
  if (precondition !== undefined) {
    checkPrecondition(precondition, { exists: true, json: recordToClientJson(statements, at, record, undefined) })
  }
  const owner = await readOwner(session, statements, resource, id)
  const changesTo = (record: RecordData) => changesToUpdate(draft, record, owner)
  const data = dataOf(at, basis.selection, basis.json)
  const diff = changesTo(data)
  setRuleValues(parts, call, diff, { resource, record: data, owner })
  let affected = 0
  if (maxAffected !== undefined) {
    const all = removesUnread(diff) ? changesTo(await readState(session, statements, at, id)) : diff
    affected = affectedRecords(all.changes, all.hidden)
  }
  const unreadIds = concernsUnread(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
  if (unreadIds !== undefined) addUnread(diff, resource, dataOf(at, idsOf(resource), unreadIds))
  return { diff, result: id, record, basis, unreadIds, affected, data }
}

/** A DELETE: the ids of the record and of all that it owns. Rules want to know its state. */
async function readToDelete(
  parts: WriteParts,
  session: Session,
  { at, id, precondition, maxAffected, hidden }: DeleteCall,
  readsBefore: ReadsBefore,
): Promise<Current> {
  const { context, statements } = parts
  const { resource } = at.path
  const isRuled = mayRunRules(parts, at)
  const seesAll = context.rights === undefined
  const changesIn = (record: RecordData) => ({ ...changesToDelete(resource, record, ownerInPath(at)), hidden })
  const first = isRuled && seesAll ? stateOf(resource, context.fieldRights) : idsOf(resource)
  const all = await readSelected(session, statements, at, id, first, 'Delete')
  if (precondition !== undefined) {
    checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
  }
  const diff = changesIn(all)
  const mustSee = maxAffected !== undefined || isRuled
  const seen = seesAll || !mustSee ? all : await readState(session, statements, at, id)
  const affected = maxAffected === undefined ? 0 : affectedRecords((seesAll ? diff : changesIn(seen)).changes, hidden)
  const data = isRuled ? seen : undefined
  return { diff, result: undefined, record: undefined, basis: undefined, unreadIds: undefined, affected, data }
}

type ReadsBefore = Attempt['readsBefore']

/** Gives rows the values that rules have for them. */
function setRuleValues(
  { rules }: WriteParts,
  { requestContext, now }: WriteCall,
  diff: Diff,
  read: ReadRecord | undefined,
): void {
  if (rules !== undefined)
    setValues(
      rules,
      diff,
      { caller: callerIn(requestContext) ?? NO_CALLER, tenant: tenantIn(requestContext), now },
      read,
    )
}

/**
 * Why no record can be added at the address: an owner does not exist or may not be edited, the owner has its one record already, or
 * the id is taken. Undefined if a record can be added.
 */
async function vacancyRefusal(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id | undefined,
): Promise<Refusal | undefined> {
  const { resource, relations } = at.path
  const owns = relations.at(-1)
  if (owns === undefined && id === undefined) return undefined
  const values = { id, ...ownerValues(at.owners) }
  const [vacancy] = await session.rows(statements.vacancy(at.path, id !== undefined), values)
  if (!vacancy?.owners) return ownerNotFound(at)
  if (!vacancy.allowed) return notAllowed()
  if (owns !== undefined && vacancy.occupied) return placeTaken(owns.source.key, at.owners.at(-1) as Id, owns.name)
  return id !== undefined && vacancy.taken ? idTaken(resource.key, id) : undefined
}
