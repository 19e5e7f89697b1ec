import { hash } from 'node:crypto'
import { cursorProblem } from '../../asking/cursor.ts'
import { type ListQuery, PLAIN_LIST } from '../../asking/list-query.ts'
import { PLAIN_RECORD, type RecordQuery } from '../../asking/record-query.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { wholeRecordAt } from '../../asking/select/selections.ts'
import { CrudError, invalid, type ParameterProblem, tooLarge } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { parseJson } from '../../model/values/long-number.ts'
import type { RecordData } from '../../planning/rows.ts'
import { type DatabaseErrorKind, databaseErrorKind } from '../../session/database-errors.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { nestedJson } from '../../sql/reads/nest-trees.ts'
import { type NoteUnshown, readUnshown } from '../../sql/reads/read-unshown.ts'

/** A whole record as a client sees it; undefined where that is too large for an answer. `note`: only if it is an
 * answer. */
export function recordToClientJson(
  { fieldRights }: ReadStatements,
  { path }: Address,
  record: string | undefined,
  note: NoteUnshown | undefined,
): string | undefined {
  return record === undefined ? undefined : toClientJson(wholeRecordAt(path, fieldRights), record, note)
}

/** Base64 characters of a tag: 144 bits, so two records never have one tag by chance. */
const TAG_LENGTH = 24

/** The strong ETag of the JSON of a whole record, as its caller sees it: the same bytes have the same tag, and no other
 * bytes have it. */
export function etagOf(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, TAG_LENGTH)}"`
}

/** A record as a client sees it: what the database gave of a selection. */
export function toClientJson(selection: Selection, record: string, note?: NoteUnshown): string {
  const unshown = readUnshown(record)
  if (unshown === undefined) {
    return selection.holdsTrees ? nestedJson(selection, parseJson(record) as RecordData) : record
  }
  const data = unshown.data as RecordData
  unshown.leaveOut(selection, data)
  note?.(unshown.found)
  return nestedJson(selection, data)
}

/** A page as a client sees it: what the database gave of it. */
export function pageToClientJson(selection: Selection, page: string, note: NoteUnshown): string {
  const unshown = readUnshown(page)
  if (unshown === undefined && !selection.holdsTrees) return page
  const { rows, ...others } = (unshown?.data ?? parseJson(page)) as { readonly rows: readonly RecordData[] }
  if (unshown !== undefined) {
    for (const record of rows) unshown.leaveOut(selection, record)
    note(unshown.found)
  }
  const records = rows.map((record) => nestedJson(selection, record))
  const rest = JSON.stringify(others).slice(1)
  return `{"rows":[${records.join(',')}]${rest === '}' ? '' : ','}${rest}`
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

/**
 * The error of a read that the database could not answer. A CrudError where that is the query's fault: the answer may
 * be so large that the database cannot build it, the query too deep, or a column of another type than its field, such
 * as an enum, to which not every text can be compared. Else the driver's error.
 */
export function refusalOfRead(
  error: unknown,
  query: RecordQuery & Partial<ListQuery>,
  tooLarge: () => CrudError,
): unknown {
  const kind = databaseErrorKind(error)
  if (kind === 'tooLarge') return tooLarge()
  const problem = query === PLAIN_LIST || query === PLAIN_RECORD ? undefined : problemFor(query, kind)
  return problem === undefined ? error : new CrudError(invalid([problem]), { cause: error })
}

function problemFor(
  { after, contents }: RecordQuery & Partial<ListQuery>,
  kind: DatabaseErrorKind,
): ParameterProblem | undefined {
  switch (kind) {
    case 'tooDeep':
      return { parameter: contents === undefined ? 'filter' : 'include', message: TOO_DEEP, keyword: 'maxDepth' }
    case 'value': {
      const place = after === undefined ? 'filter' : 'filter or after'
      const message = `${place}: has a value that does not fit the column that it is compared with`
      return { parameter: 'filter', message, keyword: 'database' }
    }
    case 'incomparable':
      return { parameter: 'filter', message: INCOMPARABLE, keyword: 'comparable' }
    default:
      return undefined
  }
}

const INCOMPARABLE = 'filter: compares a column whose type has no equality; it can only be asked for null'
const TOO_DEEP = 'the query is nested too deeply for this database: ask for fewer levels'

/** The error of a list whose cursor names a record that is not there any more. */
export function cursorGone(): CrudError {
  return new CrudError(invalid([cursorProblem(GONE)]))
}

const GONE = 'after: its record was deleted or changed; start again from the first page'
