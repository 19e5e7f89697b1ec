import type { Problem } from '@fastify-crud/core'
import { type ListRequest, shortened } from '@fastify-crud/core/internal'
import { type BracketedFilter, bracketOf, filterInBrackets } from './filter-in-brackets.ts'
import type { Limits } from './options.ts'
import { readQueryString, repeatedNames } from './query-string.ts'

const DIGITS = /^(?:0|[1-9][0-9]*)$/

/** What the URL of a request asks for, and all that is wrong with it but for what only the model tells. */
export interface RequestQuery {
  /** Undefined where the request is not for a list. */
  readonly list: ListRequest | undefined
  readonly problems: readonly Problem[]
}

export const NO_QUERY: RequestQuery = Object.freeze({ list: undefined, problems: [] })

/** Reads the query of a list. `without`: the names that a handler has taken out of it. */
export function queryOfList(url: string, without: readonly string[], { defaultPage, maxPage }: Limits): RequestQuery {
  const problems: Problem[] = []
  const entries = readQueryString(url, problems).filter(([name]) => !without.includes(name))
  problems.push(...repeatedNames(entries, (name) => bracketOf(name)?.isList === true))
  const brackets: BracketedFilter[] = []
  const values = new Map<string, string>()
  for (const [name, value] of entries) {
    const bracket = bracketOf(name)
    if (bracket !== undefined) brackets.push({ ...bracket, name, value })
    else if (NAMES.includes(name)) values.set(name, value)
    else problems.push(unknownParameter(name))
  }
  const filter = filterOf(values.get('filter'), brackets, problems)
  const list = {
    limit: numberOf(values, 'limit', defaultPage, 1, maxPage, problems),
    offset: numberOf(values, 'offset', 0, 0, Number.MAX_SAFE_INTEGER, problems),
    ...(filter !== undefined && { filter }),
    ...(values.has('sort') && { sort: values.get('sort')?.split(',') }),
  }
  return { list, problems }
}

const NAMES: readonly string[] = ['limit', 'offset', 'filter', 'sort']

/** Reads the query of a request that takes none. */
export function queryOfOthers(url: string, without: readonly string[]): RequestQuery {
  const problems: Problem[] = []
  const entries = readQueryString(url, problems).filter(([name]) => !without.includes(name))
  if (entries.length === 0 && problems.length === 0) return NO_QUERY
  return { list: undefined, problems: [...problems, ...entries.map(([name]) => unknownParameter(name))] }
}

function unknownParameter(name: string): Problem {
  return { pointer: '', message: `there is no query parameter '${shortened(name)}'` }
}

function filterOf(json: string | undefined, brackets: readonly BracketedFilter[], problems: Problem[]): unknown {
  if (json === undefined) return brackets.length === 0 ? undefined : filterInBrackets(brackets, problems)
  if (brackets.length > 0) {
    const message = `the query has two filters: 'filter' and '${shortened(brackets[0]?.name ?? '')}'; use one of the two spellings`
    problems.push({ pointer: '', message })
  }
  try {
    return JSON.parse(json)
  } catch {
    problems.push({ pointer: '', message: 'filter: is not JSON; in JSON it looks like {"price":{"gte":10}}' })
    return undefined
  }
}

function numberOf(
  values: ReadonlyMap<string, string>,
  name: string,
  standard: number,
  least: number,
  most: number,
  problems: Problem[],
): number {
  const text = values.get(name)
  if (text === undefined) return standard
  const value = DIGITS.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  problems.push({ pointer: '', message: `the query parameter '${name}' must be an integer ${range}` })
  return standard
}
