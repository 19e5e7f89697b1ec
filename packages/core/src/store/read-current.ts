import type { Session } from '../connection/session.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import { type Draft, type Hidden, NOTHING_HIDDEN } from '../plan/body/draft.ts'
import { affectedRecords } from '../plan/decide/affected-records.ts'
import { addHidden, concernsHidden } from '../plan/diff/add-hidden.ts'
import { changesToCreate } from '../plan/plan-create.ts'
import { changesToDelete } from '../plan/plan-delete.ts'
import { changesToUpdate } from '../plan/plan-update.ts'
import type { RecordData } from '../plan/record-data.ts'
import type { RecordOwner } from '../plan/record-owner.ts'
import type { RowAction } from '../policies/rights.ts'
import { idsOf, type Selection, stateOf, wholeRecord } from '../query/reads/selection.ts'
import type { Statements } from '../query/statements.ts'
import { beforeConflict } from './check-planned.ts'
import { checkPrecondition, recordBefore } from './check-precondition.ts'
import { AnswerTooLargeError, readOwner, readRecord, recordTooLarge, shown, vacancyRefusal } from './read.ts'
import type { WriteParts, WriteRequest } from './write-request.ts'
import type { WriteTerms } from './write-terms.ts'

type ReadCurrent = WriteRequest['readCurrent']

/** A POST: whether there is room for the record. */
export function readToCreate(
  parts: WriteParts,
  at: Address,
  id: Id | undefined,
  draft: Draft,
  { precondition, maxAffected }: WriteTerms,
): ReadCurrent {
  const owner = ownerIn(at)
  return async (session, readsBefore) => {
    const made = changesToCreate(draft, owner, id)
    const { changes } = made.diff
    const refusal = await vacancyRefusal(session, parts.statements, at, id)
    const isThere = refusal === undefined || refusal.code === 'CRUD_ERR_EXISTS'
    if (isThere && precondition !== undefined) {
      checkPrecondition(precondition, await recordBefore(session, parts.statements, at, id, readsBefore))
    }
    if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, changes, refusal))
    const affected = maxAffected === undefined ? 0 : affectedRecords(changes, NOTHING_HIDDEN)
    return { ...made, record: undefined, stored: undefined, affected }
  }
}

/** A PUT or PATCH: the record, compared with the body. */
export function readToUpdate(
  { context, statements }: WriteParts,
  at: Address,
  id: Id,
  draft: Draft,
  { precondition, maxAffected }: WriteTerms,
): ReadCurrent {
  return async (session, readsBefore, before) => {
    const { resource } = at.path
    const selection = readsBefore === 'whole' ? wholeRecord(resource) : stateOf(resource)
    const record = await readRecord(session, statements, at, id, selection, 'EditBefore')
    if (record === undefined) {
      throw readsBefore === 'whole' ? new AnswerTooLargeError() : recordTooLarge(at, id, context.maxAnswer)
    }
    if (before !== undefined && record === before.record && before.stored === undefined) return before
    const json = shown(selection, record)
    if (precondition !== undefined) {
      checkPrecondition(precondition, { exists: true, json: readsBefore === 'whole' ? json : undefined })
    }
    const data = JSON.parse(json) as RecordData
    const owner = await readOwner(session, statements, resource, id)
    const diff = changesToUpdate(draft, data, owner)
    const affected = maxAffected === undefined ? 0 : affectedRecords(diff.changes, diff.hidden)
    const stored = concernsHidden(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
    if (stored !== undefined) addHidden(diff, resource, dataOf(idsOf(resource), stored))
    return { diff, result: id, record: readsBefore === 'whole' ? record : undefined, stored, affected }
  }
}

/** A DELETE: the ids of the record and of all that it owns. */
export function readToDelete(
  { context, statements }: WriteParts,
  at: Address,
  id: Id,
  { precondition, maxAffected, hidden = NOTHING_HIDDEN }: WriteTerms & { readonly hidden?: Hidden },
): ReadCurrent {
  const { resource } = at.path
  const changesIn = (selection: Selection, json: string) =>
    changesToDelete(resource, dataOf(selection, json), ownerIn(at))
  const seenIn = async (session: Session) => changesIn(stateOf(resource), await readState(session, statements, at, id))
  return async (session, readsBefore) => {
    const record = await readIds(session, statements, at, id, 'Delete')
    if (precondition !== undefined)
      checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
    const diff = changesIn(idsOf(resource), record)
    let affected = 0
    if (maxAffected !== undefined) {
      const seen = context.rights === undefined ? diff : await seenIn(session)
      affected = affectedRecords(seen.changes, hidden)
    }
    return { diff, result: undefined, record, stored: undefined, affected }
  }
}

/** What the caller sees of a record and of all that it owns. */
async function readState(session: Session, statements: Statements, at: Address, id: Id): Promise<string> {
  const state = await readRecord(session, statements, at, id, stateOf(at.path.resource))
  if (state === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return state
}

/** The ids of a record and of all that it owns. */
async function readIds(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id,
  action?: RowAction,
): Promise<string> {
  const ids = await readRecord(session, statements, at, id, idsOf(at.path.resource), action)
  if (ids === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return ids
}

function dataOf(selection: Selection, json: string): RecordData {
  return JSON.parse(shown(selection, json)) as RecordData
}

/** The owner that the path names. */
function ownerIn({ path, owners }: Address): RecordOwner | undefined {
  const owns = path.relations.at(-1)
  return owns && { by: owns.inverse, id: owners.at(-1) as Id }
}
