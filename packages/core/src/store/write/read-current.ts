import type { Session } from '../../connection/session.ts'
import { CrudError, idTaken, notAllowed, placeTaken, type Refusal } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import { callerIn, NO_CALLER } from '../../model/any-caller.ts'
import type { Id } from '../../model/ids.ts'
import { type Draft, type Hidden, NOTHING_HIDDEN } from '../../plan/body/draft.ts'
import { namedBesides } from '../../plan/body/named-besides.ts'
import { affectedRecords } from '../../plan/decide/affected-records.ts'
import { addUnread, concernsUnread, removesUnread } from '../../plan/diff/add-unread.ts'
import { type Diff, isSettled } from '../../plan/diff/diff.ts'
import { changesToCreate } from '../../plan/public/plan-create.ts'
import { changesToDelete } from '../../plan/public/plan-delete.ts'
import { changesToUpdate } from '../../plan/public/plan-update.ts'
import type { RecordData } from '../../plan/record-data.ts'
import { ownerValues } from '../../query/rows/path-condition.ts'
import type { Statements } from '../../query/statements.ts'
import { idsOf, stateOf, wholeRecord } from '../../reading/select/selections.ts'
import type { ReadRecord } from '../../rules/rows/tree.ts'
import { setValues } from '../../rules/stages/set-values.ts'
import { beforeConflict } from '../checks/check-planned.ts'
import { checkPrecondition, recordBefore } from '../checks/check-precondition.ts'
import { mayRunRules } from '../checks/may-run-rules.ts'
import { readOwner } from '../read/read-record.ts'
import { dataOf, readIds, readSelected, readState, readToPlan } from '../read/read-state.ts'
import { shownRecord } from '../read/shown.ts'
import type { WriteTerms } from '../types/write-terms.ts'
import { ownerInPath, ownerNotFound } from './owner-at.ts'
import type { WriteParts, WriteRequest } from './write-request.ts'

type ReadCurrent = WriteRequest['readCurrent']

/** A POST: whether there is room for the record. */
export function readToCreate(
  parts: WriteParts,
  at: Address,
  id: Id | undefined,
  draft: Draft,
  { precondition, maxAffected, requestContext }: Terms,
): ReadCurrent {
  const owner = ownerInPath(at)
  const setRuleValues = valueSetterOf(parts, requestContext)
  return async (session, readsBefore) => {
    const made = changesToCreate(draft, owner, id)
    const { changes } = made.diff
    setRuleValues?.(made.diff, undefined)
    const refusal = await vacancyRefusal(session, parts.statements, at, id)
    const isThere = refusal === undefined || refusal.code === 'CRUD_ERR_EXISTS'
    if (isThere && precondition !== undefined) {
      checkPrecondition(precondition, await recordBefore(session, parts.statements, at, id, readsBefore))
    }
    if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, changes, refusal))
    const affected = maxAffected === undefined ? 0 : affectedRecords(changes, NOTHING_HIDDEN)
    return { ...made, record: undefined, basis: undefined, stored: undefined, affected }
  }
}

/** A PUT or PATCH: the record, compared with the body. */
export function readToUpdate(
  parts: WriteParts,
  at: Address,
  id: Id,
  draft: Draft,
  { precondition, maxAffected, requestContext }: Terms,
): ReadCurrent {
  const { context, statements } = parts
  const { resource } = at.path
  const besides = namedBesides(draft)
  const setRuleValues = valueSetterOf(parts, requestContext)
  const read: ReadCurrent = async (session, readsBefore, before) => {
    const { record, basis } = await readToPlan(session, statements, at, id, readsBefore, besides)
    const isSame = before !== undefined && record === before.record && basis.json === before.basis?.json
    if (isSame && before.stored === undefined) return before
    if (precondition !== undefined) {
      checkPrecondition(precondition, { exists: true, json: shownRecord(statements, at, record, undefined) })
    }
    const owner = await readOwner(session, statements, resource, id)
    const changesTo = (record: RecordData) => changesToUpdate(draft, record, owner)
    const data = dataOf(basis.selection, basis.json)
    const diff = changesTo(data)
    setRuleValues?.(diff, { resource, record: data, owner })
    let affected = 0
    if (maxAffected !== undefined) {
      const all = removesUnread(diff) ? changesTo(await readState(session, statements, at, id)) : diff
      affected = affectedRecords(all.changes, all.hidden)
    }
    const stored = concernsUnread(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
    if (stored !== undefined) addUnread(diff, resource, dataOf(idsOf(resource), stored))
    return { diff, result: id, record, basis, stored, affected, data }
  }
  // What is computed is only read if the record as it is becomes the answer, or is what the precondition is about.
  if (!wholeRecord(resource, context.fieldRights).computes || precondition !== undefined) return read
  return async (session, readsBefore, before) => {
    const seen = await read(session, 'state', before)
    // Once more, so that the answer and the plan are of the same moment.
    return readsBefore === 'whole' && isSettled(seen.diff) ? await read(session, 'whole') : seen
  }
}

/** A DELETE: the ids of the record and of all that it owns. Rules want to know its state. */
export function readToDelete(
  { context, statements, rules }: WriteParts,
  at: Address,
  id: Id,
  { precondition, maxAffected, hidden = NOTHING_HIDDEN }: Terms & { readonly hidden?: Hidden },
): ReadCurrent {
  const { resource } = at.path
  const owner = ownerInPath(at)
  const isRuled = mayRunRules({ rules }, at)
  const seesAll = context.rights === undefined
  const first = isRuled && seesAll ? stateOf(resource, context.fieldRights) : idsOf(resource)
  const changesIn = (record: RecordData) => ({ ...changesToDelete(resource, record, owner), hidden })
  return async (session, readsBefore) => {
    const all = await readSelected(session, statements, at, id, first, 'Delete')
    if (precondition !== undefined)
      checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
    const diff = changesIn(all)
    const isSeenAsked = maxAffected !== undefined || isRuled
    const data = seesAll || !isSeenAsked ? all : await readState(session, statements, at, id)
    const affected =
      maxAffected === undefined ? 0 : affectedRecords(seesAll ? diff.changes : changesIn(data).changes, hidden)
    return {
      diff,
      result: undefined,
      record: undefined,
      basis: undefined,
      stored: undefined,
      affected,
      data: isRuled ? data : undefined,
    }
  }
}

type ValueSetter = (diff: Diff, read: ReadRecord | undefined) => void

/** Gives rows the values that rules have for them; undefined if there are no rules. All attempts of a request have one time. */
function valueSetterOf({ rules }: WriteParts, requestContext: unknown): ValueSetter | undefined {
  if (rules === undefined) return undefined
  const asking = { caller: callerIn(requestContext) ?? NO_CALLER, now: new Date() }
  return (diff, read) => setValues(rules, diff, asking, read)
}

/** How a request is to be carried out, and what the calling code has handed in for it. */
interface Terms extends WriteTerms {
  readonly requestContext?: unknown
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
