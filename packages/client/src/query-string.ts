import type { HistoryOptions } from '@fastify-crud/core/types'

/** The query of a list or of groups: the options of the store. */
export interface PageQuery {
  readonly [name: string]: unknown
}

/** What is joined by commas in a URL. */
const LISTS = ['sort', 'fields', 'include', 'by', 'values']
const IN_JSON = ['filter', 'having']

/** The options that are about the request and not about the page. */
const OF_REQUESTS = ['signal', 'headers', 'retries', 'etags']

/** Longer URLs are refused by some servers and proxies: such queries are sent as a body. */
const LONGEST = 2_000

/** The query as a part of a URL, with its question mark; `''`: it says nothing. */
export function queryString(query: PageQuery): string {
  const entries = Object.entries(queryOfPage(query)).flatMap(([name, value]) => parameters(name, value))
  return searchString(entries)
}

/** Whether the query is too long for a URL. */
export function isLong(text: string): boolean {
  return text.length > LONGEST
}

/** The query without what is about the request. */
export function queryOfPage(query: PageQuery): Record<string, unknown> {
  const entries = Object.entries(query).filter(([name, value]) => value !== undefined && !OF_REQUESTS.includes(name))
  return Object.fromEntries(entries)
}

/** The parameters of an action: those with arrays are repeated. */
export function actionQuery(query: object | undefined): string {
  const entries = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Entry[] => (one === undefined ? [] : [[name, String(one)]])),
  )
  return searchString(entries)
}

/** The query of a history. */
export function historyQuery({ filter = {}, ...page }: HistoryOptions): string {
  const { operation, by, at = {} } = filter
  const entries: Entry[] = [
    ...Object.entries(queryOfPage(page)).map(([name, value]): Entry => [name, String(value)]),
    ...(operation === undefined ? [] : [['filter[operation]', [operation].flat().join(',')] satisfies Entry]),
    ...(by === undefined ? [] : [['filter[by]', JSON.stringify(by)] satisfies Entry]),
    ...Object.entries(at).map(([name, moment]): Entry => [`filter[at][${name}]`, String(moment)]),
  ]
  return searchString(entries)
}

type Entry = [name: string, value: string]

function searchString(entries: Entry[]): string {
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

function parameters(name: string, value: unknown): Entry[] {
  if (LISTS.includes(name)) return [[name, (value as readonly string[]).join(',')]]
  if (IN_JSON.includes(name)) return [[name, JSON.stringify(value)]]
  if (name !== 'nested') return [[name, String(value)]]
  return Object.entries(value as Record<string, object>).flatMap(([path, options]) =>
    Object.entries(options).flatMap(([option, one]) =>
      parameters(option, one).map(([, text]): Entry => [`nested[${path}][${option}]`, text]),
    ),
  )
}
