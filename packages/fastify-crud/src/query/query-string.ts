import type { Problem } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'

/** One `name=value` of a query string, decoded. */
type QueryEntry = readonly [name: string, value: string]

const NONE: readonly never[] = []

/**
 * The entries of a URL's query, in their order. Fastify's own parser makes a list of a name that occurs twice, and
 * ignores percent-encoding that is not UTF-8.
 */
export function readQueryString(url: string, problems: Problem[]): readonly QueryEntry[] {
  const start = url.indexOf('?')
  if (start === -1) return NONE
  const entries: QueryEntry[] = []
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue
    const end = part.indexOf('=')
    const name = decoded(end === -1 ? part : part.slice(0, end))
    const value = end === -1 ? '' : decoded(part.slice(end + 1))
    if (name !== undefined && value !== undefined) entries.push([name, value])
    else problems.push(malformed(part, name))
  }
  return entries
}

/** `name`: undefined where the name itself is malformed. */
function malformed(part: string, name = part.split('=', 1)[0] ?? ''): Problem {
  const message = `the query has malformed percent-encoding: '${shortened(part)}'`
  return { parameter: shortened(name), message, keyword: 'format', params: { format: 'percent-encoding' } }
}

/** The name in one `name=value` of a query string; undefined where it is malformed. */
export function parameterName(part: string): string | undefined {
  const end = part.indexOf('=')
  return decoded(end === -1 ? part : part.slice(0, end))
}

/** As HTML forms encode it: `+` is a space. */
function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** A problem for each name that occurs twice, unless it may. */
export function repeatedNames(entries: readonly QueryEntry[], mayRepeat: (name: string) => boolean): Problem[] {
  if (entries.length < 2) return []
  const repeated = namesTwiceIn(entries.map(([name]) => name))
  return [...repeated].filter((name) => !mayRepeat(name)).map(isRepeated)
}

export function namesTwiceIn(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}

export function isRepeated(name: string): Problem {
  const parameter = shortened(name)
  return { parameter, message: `the query parameter '${parameter}' occurs twice`, keyword: 'repeated' }
}

const DIGITS = /^(?:0|[1-9][0-9]*)$/

/** An integer from 0 on, as JSON writes it. A text that spells none stays a text. */
export function numberOrText(text: string): number | string {
  return DIGITS.test(text) ? Number(text) : text
}
