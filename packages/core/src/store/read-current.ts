import type { Session } from '../connection/session.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Link, Owns } from '../model/model.ts'
import { type Draft, type Hidden, NOTHING_HIDDEN } from '../plan/body/draft.ts'
import { namedBesides } from '../plan/body/named-besides.ts'
import { affectedRecords } from '../plan/decide/affected-records.ts'
import { addUnread, concernsUnread, removesUnread } from '../plan/diff/add-unread.ts'
import { changesToCreate } from '../plan/plan-create.ts'
import { changesToDelete } from '../plan/plan-delete.ts'
import { changesToUpdate } from '../plan/plan-update.ts'
import type { RecordData } from '../plan/record-data.ts'
import type { RecordOwner } from '../plan/record-owner.ts'
import type { RowAction } from '../policies/rights.ts'
import { idsOf, type Selection, stateOf, stateWith, wholeRecord } from '../query/reads/selection.ts'
import type { Statements } from '../query/statements.ts'
import { beforeConflict } from './check-planned.ts'
import { checkPrecondition, recordBefore } from './check-precondition.ts'
import {
  AnswerTooLargeError,
  readOwner,
  readRecord,
  readRecordAndState,
  recordTooLarge,
  shown,
  shownIfSendable,
  vacancyRefusal,
} from './read.ts'
import type { Basis, Seen, WriteParts, WriteRequest } from './write-request.ts'
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
    return { ...made, record: undefined, basis: undefined, stored: undefined, affected }
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
  const { resource } = at.path
  const besides = namedBesides(draft)
  return async (session, readsBefore, before) => {
    const { record, basis } = await readToPlan(session, statements, at, id, readsBefore, besides)
    const isSame = before !== undefined && record === before.record && basis.json === before.basis?.json
    if (isSame && before.stored === undefined) return before
    if (precondition !== undefined) {
      checkPrecondition(precondition, { exists: true, json: shownIfSendable(at, record) })
    }
    const owner = await readOwner(session, statements, resource, id)
    const changesTo = ({ selection, json }: Basis) => changesToUpdate(draft, dataOf(selection, json), owner)
    const diff = changesTo(basis)
    let affected = 0
    if (maxAffected !== undefined) {
      const all = removesUnread(diff) ? changesTo(await readState(session, statements, at, id)) : diff
      affected = affectedRecords(all.changes, all.hidden)
    }
    const stored = concernsUnread(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
    if (stored !== undefined) addUnread(diff, resource, dataOf(idsOf(resource), stored))
    return { diff, result: id, record, basis, stored, affected }
  }
}

/**
 * Reads a record in order to change it: the whole record, which is the answer if nothing changes, and what the change is planned from.
 * That is the same, unless the body names relations besides those that a record carries. Both are read in one statement, so that they
 * show the same moment.
 */
async function readToPlan(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id,
  readsBefore: 'whole' | 'state',
  besides: ReadonlySet<Owns | Link>,
): Promise<Pick<Seen, 'record'> & { readonly basis: Basis }> {
  const { resource } = at.path
  if (readsBefore === 'whole' && besides.size === 0) {
    const record = await readRecord(session, statements, at, id, undefined, 'EditBefore')
    if (record === undefined) throw new AnswerTooLargeError()
    return { record, basis: { selection: wholeRecord(resource), json: record } }
  }
  const selection = stateWith(resource, besides)
  const { record, state } =
    readsBefore === 'whole'
      ? await readRecordAndState(session, statements, at, id, selection, 'EditBefore')
      : { record: undefined, state: await readRecord(session, statements, at, id, selection, 'EditBefore') }
  if (state === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  if (readsBefore === 'whole' && record === undefined) throw new AnswerTooLargeError()
  return { record, basis: { selection, json: state } }
}

/** A DELETE: the ids of the record and of all that it owns. */
export function readToDelete(
  { context, statements }: WriteParts,
  at: Address,
  id: Id,
  { precondition, maxAffected, hidden = NOTHING_HIDDEN }: WriteTerms & { readonly hidden?: Hidden },
): ReadCurrent {
  const { resource } = at.path
  const changesIn = ({ selection, json }: Basis) => changesToDelete(resource, dataOf(selection, json), ownerIn(at))
  return async (session, readsBefore) => {
    const record = await readIds(session, statements, at, id, 'Delete')
    if (precondition !== undefined)
      checkPrecondition(precondition, await recordBefore(session, statements, at, id, readsBefore))
    const diff = changesIn({ selection: idsOf(resource), json: record })
    let affected = 0
    if (maxAffected !== undefined) {
      const seen = context.rights === undefined ? diff : changesIn(await readState(session, statements, at, id))
      affected = affectedRecords(seen.changes, hidden)
    }
    return { diff, result: undefined, record, basis: undefined, stored: undefined, affected }
  }
}

/** What the caller sees of a record and of all that it owns. */
async function readState(session: Session, statements: Statements, at: Address, id: Id): Promise<Basis> {
  const selection = stateOf(at.path.resource)
  const json = await readRecord(session, statements, at, id, selection)
  if (json === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return { selection, json }
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
