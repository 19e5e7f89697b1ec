import { expect } from 'vitest'
import type { Answer } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'

/** A walk that goes around in circles ends here. */
const MOST_PAGES = 200

/** What a client gets for this path. */
type Get = (path: string) => Promise<Answer>

/** All pages of a list, from the first to the last, by the cursor in each body. */
export async function pagesOf(get: Get, path: string): Promise<JsonBody[]> {
  const pages: JsonBody[] = []
  let next: string | undefined
  do {
    const { status, body } = await get(next === undefined ? path : after(withoutCursor(path), next))
    expect(status, JSON.stringify(body)).toBe(200)
    expect(pages.length).toBeLessThan(MOST_PAGES)
    pages.push(body)
    next = body.next
  } while (next !== undefined)
  return pages
}

/** The rows of all pages, in the order in which a client gets them. */
export async function rowsOf(get: Get, path: string): Promise<JsonBody[]> {
  return (await pagesOf(get, path)).flatMap(({ rows }) => rows)
}

/** The cursor of the first page stands last. */
function withoutCursor(path: string): string {
  return path.replace(/[?&]after=[^&]*$/, '')
}

/** The path of the page behind this cursor. */
export function after(path: string, cursor: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(cursor)}`
}

/** Where the `Link` header of an answer says the next page is, as a path; undefined if it says nothing. */
export function nextLink(answer: Answer, path: string): string | undefined {
  const links = String(answer.headers.link ?? '').split(/,\s*(?=<)/)
  const link = links.find((one) => /;\s*rel="?next"?/i.test(one))
  const target = link?.match(/^<([^>]*)>/)?.[1]
  if (target === undefined) return undefined
  const { pathname, search } = new URL(target, `http://localhost${path}`)
  return pathname + search
}
