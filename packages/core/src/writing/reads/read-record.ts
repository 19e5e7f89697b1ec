import type { Comparing } from '../../asking/condition.ts'
import type { RowAction } from '../../asking/policies/rights.ts'
import { PLAIN_RECORD, type RecordQuery } from '../../asking/record-query.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { wholeRecordAt } from '../../asking/select/selections.ts'
import { CrudError, notAllowed, notFound } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import { CHANGED, raisedBy } from '../../sql/dialect/dialect.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import type { RecordsQuery } from '../../sql/reads/page-query.ts'
import { FORBIDDEN } from '../../sql/reads/read-queries.ts'
import { ownerValues } from '../../sql/rows/path-condition.ts'
import type { JsonText } from '../../sql/text/prepare.ts'
import type { PipelinedStatements } from '../../sql/write-statements.ts'
import type { LinksLeft } from '../links-left.ts'
import { recordTooLarge, refusalOfRead, sendable, toClientJson } from './client-json.ts'

/** Answers a statement with what its only row has in its first column: a {@link Session}, or any connection. */
export type ValueReader = Session['value']

/** What is read of a record, and what for. */
interface Reading {
  /** Default: the whole record. */
  readonly selection?: Selection | undefined
  /** What policies have to allow. Default: to see the record. */
  readonly action?: RowAction | undefined
}

const WHOLE: Reading = {}

/**
 * A record as the database writes it: {@link shown} makes it what a client sees. Undefined if it is too large for an
 * answer. Fails with `CRUD_ERR_NOT_FOUND` if there is none with the id at the address, and with `CRUD_ERR_FORBIDDEN` if
 * a policy does not allow the action.
 */
export async function readRecord(
  { value }: { readonly value: ValueReader },
  statements: ReadStatements,
  at: Address,
  id: Id,
  { selection, action }: Reading = WHOLE,
): Promise<string | undefined> {
  const json = await value<string>(statements.record(at.path, selection, action), recordValues(at, id))
  if (json === FORBIDDEN) throw new CrudError(notAllowed())
  return sendable(found(json, at, id), statements.maxAnswer)
}

/** What a query chooses of a record, as a client sees it. Fails as {@link readRecord} does, and if it is too large for
 * an answer. */
export async function readChosen(
  value: ValueReader,
  statements: ReadStatements,
  at: Address,
  id: Id,
  query: RecordQuery,
  comparing: Comparing,
): Promise<string> {
  const { maxAnswer, noteUnshown } = statements
  const isWhole = query === PLAIN_RECORD
  const { selection, statement } = isWhole
    ? wholeOf(statements, at)
    : statements.chosenRecord(at.path, query, comparing)
  const ofRecord = recordValues(at, id)
  const values = isWhole ? ofRecord : { ...ofRecord, ...statements.queryValues(query) }
  let json: JsonText
  try {
    json = await value<string>(statement, values)
  } catch (error) {
    throw refusalOfRead(error, query, () => recordTooLarge(at, id, maxAnswer))
  }
  if (json === FORBIDDEN) throw new CrudError(notAllowed())
  const record = sendable(found(json, at, id), maxAnswer)
  if (record === undefined) throw recordTooLarge(at, id, maxAnswer)
  return toClientJson(selection, record, noteUnshown)
}

function wholeOf(statements: ReadStatements, { path }: Address): RecordsQuery {
  const selection = wholeRecordAt(path, statements.fieldRights)
  return { selection, statement: statements.record(path, selection) }
}

/** A record that is to be changed, whole and in part, both as they are at the same moment. */
export async function readRecordAndState(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id,
  selection: Selection,
): Promise<{ readonly record: string | undefined; readonly state: string | undefined }> {
  const [row] = await session.rows(statements.recordAndState(at.path, selection, 'EditBefore'), recordValues(at, id))
  const record = found(row?.json as JsonText, at, id)
  if (record === FORBIDDEN) throw new CrudError(notAllowed())
  const { maxAnswer } = statements
  return { record: sendable(record, maxAnswer), state: sendable(row?.state as string, maxAnswer) }
}

/** The whole record whose id the transaction keeps, as the database writes it. Undefined if it is too large for an
 * answer. */
export async function readKept(
  session: Session,
  { maxAnswer }: ReadStatements,
  { keptRecord }: PipelinedStatements,
  at: Address,
): Promise<string | undefined> {
  const json = await session.value<string>(keptRecord(at.path), ownerValues(at.owners))
  return sendable(found(json, at, ''), maxAnswer)
}

/**
 * The whole record after a write, as the database writes it. Fails with an {@link AnswerChangedError} unless it has the
 * links that the write has left.
 */
export async function readWithLinks(
  session: Session,
  { maxAnswer }: ReadStatements,
  { answerWithLinks }: PipelinedStatements,
  at: Address,
  id: Id,
  { values, basis }: LinksLeft,
): Promise<string | undefined> {
  try {
    const json = await session.value<string>(answerWithLinks(at.path), { ...values, ...recordValues(at, id) })
    return sendable(found(json, at, id), maxAnswer)
  } catch (error) {
    throw raisedBy(error) === CHANGED ? new AnswerChangedError(basis, error as Error) : error
  }
}

/** Another writer has made or removed links of the record while it was written. */
export class AnswerChangedError extends Error {
  override readonly name = 'AnswerChangedError'
  /** What the write was planned from. */
  readonly basis: string
  constructor(basis: string, cause: Error) {
    super('another writer has changed links of the record while it was written', { cause })
    this.basis = basis
  }
}

/** The values of the slots of `statements.record`. */
export function recordValues({ owners }: Address, id: Id): Readonly<Record<string, Id>> {
  return owners.length === 0 ? { id } : { id, ...ownerValues(owners) }
}

/** What `statements.record` gave; throws `CRUD_ERR_NOT_FOUND` if that is nothing. */
function found(json: JsonText, { path }: Address, id: Id | ''): string {
  if (json === undefined || json === null) throw new CrudError(notFound(path.resource.key, id))
  return json
}

/** The owner of a record, where it `matters` to the body, or one of its unique keys depends on it. */
export async function readOwner(
  session: Session,
  statements: ReadStatements,
  resource: Resource,
  id: Id,
  matters: boolean,
): Promise<RecordOwner | undefined> {
  if (!matters && !resource.uniques.some((key) => key.dependsOn.some((member) => member.kind === 'ownedBy')))
    return undefined
  const { query, toOwner } = statements.owner(resource)
  const [row = {}] = await session.rows(query, { id })
  return toOwner(row)
}
