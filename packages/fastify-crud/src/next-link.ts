import { parameterName } from './query-string.ts'

/** The end of a page that has another one behind it. A string of JSON holds no quotation mark but behind a backslash. */
const NEXT = /,"next":"([\w-]+)"\}$/

/** More than any cursor has. */
const LONGEST_END = 32_000

/**
 * The `Link` header (RFC 8288) of a list's answer: the path and query of the next page, which is that of the request but for its place
 * in the list. Undefined for the last page.
 */
export function nextLink(path: string, url: string, json: string): string | undefined {
  if (!json.endsWith('"}')) return undefined
  const [, cursor] = NEXT.exec(json.slice(-LONGEST_END)) ?? []
  if (cursor === undefined) return undefined
  const start = url.indexOf('?')
  const parts = start === -1 ? [] : url.slice(start + 1).split('&')
  const kept = parts.filter((part) => part !== '' && !PLACE.includes(parameterName(part) ?? ''))
  const query = [...kept.map(inLink), `after=${cursor}`].join('&')
  return `<${path}?${query}>; rel="next"`
}

const PLACE: readonly string[] = ['after', 'offset']

/** As the client spelled it, but for what would end the link. */
function inLink(part: string): string {
  return part.replaceAll(/[^!#-;=?-~]/g, encodeURIComponent)
}
