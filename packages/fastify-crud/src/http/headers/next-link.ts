import { parameterName } from '../../query/query-string.ts'

/** What the cursor stands behind in a page that has another one behind it. */
const NEXT = ',"next":"'

const CURSOR = /^[\w-]+$/

/**
 * The `Link` header (RFC 8288) of a list's answer: the path and query of the next page, which is that of the request but for its place
 * in the list. Undefined for the last page.
 */
export function nextLink(path: string, url: string, json: string): string | undefined {
  const cursor = cursorIn(json)
  if (cursor === undefined) return undefined
  const start = url.indexOf('?')
  const parts = start === -1 ? [] : url.slice(start + 1).split('&')
  const kept = parts.filter((part) => part !== '' && !PLACE.includes(parameterName(part) ?? ''))
  const query = [...kept, `after=${cursor}`].join('&')
  return `<${path}?${inLink(query)}>; rel="next"`
}

/** A string of JSON holds no quotation mark but behind a backslash, so what is found at the end is the page's own. */
function cursorIn(json: string): string | undefined {
  if (!json.endsWith(END)) return undefined
  const at = json.lastIndexOf(NEXT)
  const cursor = json.slice(at + NEXT.length, -END.length)
  return at !== -1 && CURSOR.test(cursor) ? cursor : undefined
}

const END = '"}'

const PLACE: readonly string[] = ['after', 'offset']

/** As the client spelled it, but for what would end the link. */
function inLink(query: string): string {
  return query.replaceAll(/[^!#-;=?-~]/g, encodeURIComponent)
}
