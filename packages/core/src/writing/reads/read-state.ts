import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { idsOf, linkAlone, stateOf, wholeRecordAt } from '../../asking/select/selections.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Owns } from '../../model/model.ts'
import { parseJson } from '../../model/values/long-number.ts'
import { type RecordData, setWholeIds } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import type { Basis, Current } from '../write-call.ts'
import { AnswerTooLargeError, recordTooLarge, toClientJson } from './client-json.ts'
import { readRecord, readRecordAndState } from './read-record.ts'

/**
 * Reads a record in order to change it: the whole record, which is the answer if nothing changes, and what the change
 * is planned from. The change is planned from the whole record, unless the body names relations besides those that a
 * record carries. Then one statement reads both, so that they show one moment.
 */
export async function readToPlan(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id,
  readsBefore: 'whole' | 'state',
  besides: ReadonlySet<Owns | Link>,
): Promise<Pick<Current, 'record'> & { readonly basis: Basis }> {
  const { resource } = at.path
  if (readsBefore === 'whole' && besides.size === 0) {
    const record = await readRecord(session, statements, at, id, { action: 'EditBefore' })
    if (record === undefined) throw new AnswerTooLargeError()
    return { record, basis: { selection: wholeRecordAt(at.path, statements.fieldRights), json: record } }
  }
  const selection = statements.stateWith(resource, besides)
  const { record, state } =
    readsBefore === 'whole'
      ? await readRecordAndState(session, statements, at, id, selection)
      : { record: undefined, state: await readRecord(session, statements, at, id, { selection, action: 'EditBefore' }) }
  if (state === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  if (readsBefore === 'whole' && record === undefined) throw new AnswerTooLargeError()
  return { record, basis: { selection, json: state } }
}

/** The same for a change of one link: only that is read. */
export async function readLinkToPlan(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id,
  link: Link,
): Promise<Pick<Current, 'record'> & { readonly basis: Basis }> {
  const selection = linkAlone(link)
  const json = await readRecord(session, statements, at, id, { selection, action: 'EditBefore' })
  if (json === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return { record: undefined, basis: { selection, json } }
}

/** What the caller sees of a record and of all that it owns. */
export async function readState(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id,
): Promise<RecordData> {
  return await readSelected(session, statements, at, id, stateOf(at.path.resource, statements.fieldRights))
}

/** What is selected of a record. Fails as `readRecord` does, and if it is too large for an answer. */
export async function readSelected(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id,
  selection: Selection,
  action?: RowAction,
): Promise<RecordData> {
  const json = await readRecord(session, statements, at, id, { selection, action })
  if (json === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return dataOf(at, selection, json)
}

/** The ids of a record and of all that it owns, as the database writes them. */
export async function readIds(session: Session, statements: ReadStatements, at: Address, id: Id): Promise<string> {
  const ids = await readRecord(session, statements, at, id, { selection: idsOf(at.path.resource) })
  if (ids === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return ids
}

/** What the database gave of a selection, with whole ids. */
export function dataOf({ path, owners }: Address, selection: Selection, json: string): RecordData {
  const data = parseJson(toClientJson(selection, json)) as RecordData
  setWholeIds(path.resource, data, path.isTopLevel ? undefined : owners.at(-1))
  return data
}
