import { databaseErrorKind } from '../connection/database-errors.ts'
import type { Session } from '../connection/session.ts'
import { CrudError, idTaken, invalid, notAllowed, notFound, placeTaken, type Refusal, tooLarge } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'
import type { RecordData } from '../plan/record-data.ts'
import type { RecordOwner } from '../plan/record-owner.ts'
import type { RowAction } from '../policies/rights.ts'
import type { JsonText } from '../query/prepare.ts'
import type { Comparing } from '../query/reads/filter-sql.ts'
import { nestedJson } from '../query/reads/nest-trees.ts'
import { CURSOR_GONE } from '../query/reads/page-query.ts'
import { ownerValues } from '../query/reads/path-condition.ts'
import { FORBIDDEN } from '../query/reads/read-queries.ts'
import { type Selection, wholeRecord } from '../query/reads/selection.ts'
import type { PipelinedStatements, Statements } from '../query/statements.ts'
import { type ListQuery, PLAIN_LIST } from '../reading/list-query.ts'
import type { RecordQuery } from '../reading/record-query.ts'
import { withCursor } from './next-page.ts'
import type { PageRange } from './read-options.ts'

/** Answers a statement with what its only row has in its first column: a {@link Session}, or any connection. */
export type ReadValue = Session['value']

/**
 * The whole record, or a selection, as the database writes it: {@link shown} makes it what a client sees. Undefined if it is too large
 * for an answer. Fails with `CRUD_ERR_NOT_FOUND` if there is none with the id at the address, and with `CRUD_ERR_FORBIDDEN` if a policy
 * does not allow the action.
 */
export async function readRecord(
  { value }: { readonly value: ReadValue },
  statements: Statements,
  at: Address,
  id: Id,
  selection?: Selection,
  action?: RowAction,
): Promise<string | undefined> {
  const json = await value<string>(statements.record(at.path, selection, action), recordValues(at, id))
  if (json === FORBIDDEN) throw new CrudError(notAllowed())
  return sendable(found(json, at, id), statements.maxAnswer)
}

/** What a query chooses of a record, as a client sees it. Fails as {@link readRecord} does. */
export async function readChosen(
  { value }: { readonly value: ReadValue },
  statements: Statements,
  at: Address,
  id: Id,
  query: RecordQuery,
  comparing: Comparing,
): Promise<string | undefined> {
  const { selection, statement } = statements.chosenRecord(at.path, query, comparing)
  const values = { ...recordValues(at, id), ...statements.queryValues(query) }
  const json = await fitting(query, () => value<string>(statement, values))
  const record = sendable(found(json, at, id), statements.maxAnswer)
  return record === undefined ? undefined : shown(selection, record)
}

/** The whole record, and a state of it at the same moment. */
export async function readRecordAndState(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id,
  selection: Selection,
  action: RowAction,
): Promise<{ readonly record: string | undefined; readonly state: string | undefined }> {
  const [row] = await session.rows(statements.recordAndState(at.path, selection, action), recordValues(at, id))
  const record = found(row?.json as JsonText, at, id)
  if (record === FORBIDDEN) throw new CrudError(notAllowed())
  const { maxAnswer } = statements
  return { record: sendable(record, maxAnswer), state: sendable(row?.state as string, maxAnswer) }
}

/** The same for the record whose id the transaction keeps. */
export async function readKept(
  session: Session,
  { maxAnswer }: Statements,
  { keptRecord }: PipelinedStatements,
  at: Address,
): Promise<string | undefined> {
  const json = await session.value<string>(keptRecord(at.path), ownerValues(at.owners))
  return sendable(found(json, at, ''), maxAnswer)
}

/** The JSON, unless it is too large for an answer. */
export function sendable(json: string, maxAnswer: number): string | undefined {
  return isTooLarge(json, maxAnswer) ? undefined : json
}

/** Whether a text from the database is larger than an answer may be, or stands for one that is. */
function isTooLarge(json: string, maxAnswer: number): boolean {
  const isObject = json.charCodeAt(0) === OPENING_BRACE
  if (!isObject || json.length > maxAnswer) return true
  // A UTF-16 unit has three bytes at most, so the bytes rarely need to be counted.
  return json.length * 3 > maxAnswer && Buffer.byteLength(json) > maxAnswer
}

const OPENING_BRACE = 123

/**
 * What is read; undefined also if it is so large that the database itself cannot build it. Not for a transaction: after such an error,
 * PostgreSQL refuses all else in it.
 */
export async function unlessTooLarge<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read()
  } catch (error) {
    if (databaseErrorKind(error) === 'tooLarge') return undefined
    throw error
  }
}

/** A record that was read in order to change it is too large for an answer. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
}

export function recordTooLarge({ path: { resource } }: Address, id: Id | undefined, maxAnswer: number): CrudError {
  const owns = resource.owns.find(({ carried }) => carried)
  const advice =
    owns === undefined ? 'ask the operator to raise limits.maxAnswer' : `ask for its ${owns.name} by their own path`
  return new CrudError(tooLarge(`${resource.key} ${id ?? ''}`.trimEnd(), maxAnswer, advice))
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

/** A whole record as a client sees it; undefined where that is too large for an answer. */
export function shownIfSendable({ path }: Address, record: string | undefined): string | undefined {
  return record === undefined ? undefined : shown(wholeRecord(path.resource), record)
}

/** A record as a client sees it: what the database gave of a selection. */
export function shown(selection: Selection, record: string): string {
  return selection.holdsTrees ? nestedJson(selection, JSON.parse(record) as RecordData) : record
}

/** The owner of a record, where one of its unique keys depends on it. */
export async function readOwner(
  session: Session,
  statements: Statements,
  resource: Resource,
  id: Id,
): Promise<RecordOwner | undefined> {
  if (!resource.uniques.some((key) => key.members.some((member) => member.kind === 'ownedBy'))) return undefined
  const { query, toOwner } = statements.owners(resource)
  const [row = {}] = await session.rows(query, { id })
  return toOwner(row)
}

/**
 * A page as a client sees it, `{"rows":[…],"count":n,"next":"…"}`; fails with `CRUD_ERR_NOT_FOUND` if one of the owners does not
 * exist, with `CRUD_ERR_TOO_LARGE` if it is too large for an answer.
 */
export async function readPage(
  { value }: { readonly value: ReadValue },
  statements: Statements,
  at: Address,
  range: PageRange,
  query: ListQuery,
  comparing: Comparing,
): Promise<string> {
  const { maxAnswer } = statements
  const { selection, statement } = statements.page(at.path, query, comparing)
  const ofRange = { ...range, ...ownerValues(at.owners) }
  const values = query === PLAIN_LIST ? ofRange : { ...ofRange, ...statements.queryValues(query) }
  const json = await unlessTooLarge(async () => {
    const page = await fitting(query, () => value<string>(statement, values))
    if (page === undefined || page === null) throw new CrudError(ownerNotFound(at))
    if (page === CURSOR_GONE) throw new CrudError(invalid([{ pointer: '', message: GONE }]))
    return sendable(page, maxAnswer)
  })
  if (json === undefined) throw pageTooLarge(range, maxAnswer)
  const { condition, sort } = query
  const page = withCursor(json, { at, condition, sort })
  if (!selection.holdsTrees) return page
  const { rows, ...others } = JSON.parse(page) as { readonly rows: readonly RecordData[] }
  const records = rows.map((record) => nestedJson(selection, record))
  const rest = JSON.stringify(others).slice(1)
  return `{"rows":[${records.join(',')}]${rest === '}' ? '' : ','}${rest}`
}

const GONE = 'after: the record that it names has gone or has changed; begin with the first page'

const TOO_DEEP =
  'the query leads through more relations inside of each other than the database can follow: ask for fewer levels at once'

/** A column may have another type than its field: an enum, say, to which not every text can be compared. */
async function fitting<Read>(query: RecordQuery & Partial<ListQuery>, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    const kind = databaseErrorKind(error)
    if (query !== PLAIN_LIST && kind === 'tooDeep') {
      throw new CrudError(invalid([{ pointer: '', message: TOO_DEEP }]), { cause: error })
    }
    if (query === PLAIN_LIST || kind !== 'value') throw error
    const place = query.after === undefined ? 'filter' : 'filter or after'
    const message = `${place}: has a value that does not fit the column that it is compared with`
    throw new CrudError(invalid([{ pointer: '', message }]), { cause: error })
  }
}

function pageTooLarge({ limit }: PageRange, maxAnswer: number): CrudError {
  const advice = limit > 1 ? "ask for fewer records with 'limit'" : 'ask for what the record owns by its own path'
  return new CrudError(tooLarge('this page', maxAnswer, advice))
}

/**
 * Why no record can be added at the address: an owner does not exist or may not be edited, the owner has its one record already, or
 * the id is taken. Undefined if a record can be added.
 */
export async function vacancyRefusal(
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

function ownerNotFound({ path, owners }: Address) {
  const resource = path.relations.at(-1)?.source.key ?? path.resource.key
  return notFound(resource, owners.at(-1) ?? '')
}
