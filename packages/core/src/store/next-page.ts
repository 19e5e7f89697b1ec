import { NEXT, NEXT_END } from '../query/reads/page-query.ts'
import { type CursorScope, writeCursor } from '../reading/cursor.ts'

/** An answer of the page query, with a cursor in place of the keys of its last record. */
export function withCursor(page: string, scope: CursorScope): string {
  if (!page.endsWith(NEXT_END)) return page
  // In a string of JSON, a quotation mark stands behind a backslash.
  const at = page.lastIndexOf(NEXT)
  const keys = page.slice(at + NEXT.length, -NEXT_END.length)
  return `${page.slice(0, at)}${NEXT}"${writeCursor(scope, keys)}"}`
}
