import type { Comparing } from '../../asking/condition.ts'
import { type CursorScope, writeCursor } from '../../asking/cursor.ts'
import { type ListQuery, PLAIN_LIST } from '../../asking/list-query.ts'
import { CrudError, tooLarge } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { CURSOR_GONE, NEXT, NEXT_END } from '../../sql/reads/page-query.ts'
import { ownerValues } from '../../sql/rows/path-condition.ts'
import type { JsonText } from '../../sql/text/prepare.ts'
import { cursorGone, pageToClientJson, refusalOfRead, sendable } from '../../writing/reads/client-json.ts'
import type { ValueReader } from '../../writing/reads/read-record.ts'
import { ownerNotFound } from '../../writing/vacancy.ts'
import type { PageRange } from '../types/read-options.ts'

/**
 * A page as a client sees it, `{"rows":[…],"count":n,"next":"…"}`; fails with `CRUD_ERR_NOT_FOUND` if one of the owners
 * does not exist, with `CRUD_ERR_TOO_LARGE` if it is too large for an answer.
 */
export async function readPage(
  value: ValueReader,
  statements: ReadStatements,
  at: Address,
  range: PageRange,
  query: ListQuery,
  comparing: Comparing,
): Promise<string> {
  const { maxAnswer } = statements
  const { selection, statement } = statements.page(at.path, query, comparing)
  const ofRange = { ...range, ...ownerValues(at.owners) }
  const values = query === PLAIN_LIST ? ofRange : { ...ofRange, ...statements.queryValues(query) }
  let page: JsonText
  try {
    page = await value<string>(statement, values)
  } catch (error) {
    throw refusalOfRead(error, query, () => pageTooLarge(range, maxAnswer))
  }
  if (page === undefined || page === null) throw new CrudError(ownerNotFound(at))
  if (page === CURSOR_GONE) throw cursorGone()
  const json = sendable(page, maxAnswer)
  if (json === undefined) throw pageTooLarge(range, maxAnswer)
  const { condition, sort } = query
  return pageToClientJson(selection, withCursor(json, { at, condition, sort }), statements.noteUnshown)
}

function pageTooLarge({ limit }: PageRange, maxAnswer: number): CrudError {
  const advice = limit > 1 ? "ask for fewer records with 'limit'" : 'ask for what the record owns by its own path'
  return new CrudError(tooLarge('this page', maxAnswer, advice))
}

/** An answer of the page query, with a cursor in place of the keys of its last record. */
export function withCursor(page: string, scope: CursorScope): string {
  if (!page.endsWith(NEXT_END)) return page
  // In a string of JSON, a quotation mark stands behind a backslash.
  const at = page.lastIndexOf(NEXT)
  const keys = page.slice(at + NEXT.length, -NEXT_END.length)
  return `${page.slice(0, at)}${NEXT}"${writeCursor(scope, keys)}"}`
}
