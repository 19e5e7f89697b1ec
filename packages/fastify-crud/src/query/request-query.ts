import type { Problem } from '@fastify-crud/core'
import {
  type GroupRequest,
  type ListRequest,
  type RecordRequest,
  Spelling,
  shortened,
} from '@fastify-crud/core/internal'
import type { Limits } from '../options.ts'
import { isRepeated, namesTwiceIn, numberOrText, readQueryString, repeatedNames } from './query-string.ts'

/** What the URL of a request asks for, and all that is wrong with it but for what only the model tells. */
export interface RequestQuery {
  /** Undefined where the request is not for a list. */
  readonly list: ListRequest | undefined
  /** Undefined where the request is not for groups. */
  readonly groups: GroupRequest | undefined
  /** Undefined where the request is not for a record, or asks nothing of it. */
  readonly record: RecordRequest | undefined
  /** The records of a list that a write means; undefined where it does not say. */
  readonly matching: ListRequest | undefined
  /** The names of the unique values by which a PUT names its records; undefined where it does not. */
  readonly by: readonly string[] | undefined
  readonly problems: readonly Problem[]
}

export const NO_QUERY: RequestQuery = Object.freeze({
  list: undefined,
  groups: undefined,
  record: undefined,
  matching: undefined,
  by: undefined,
  problems: [],
})

/** The parameters of a URL, by what they are about. */
interface Parameters {
  readonly values: ReadonlyMap<string, string>
  readonly filters: readonly BracketedFilter[]
  readonly nested: readonly BracketedNested[]
  readonly problems: Problem[]
}

/** With `filter` go filters in brackets, with `include` what nested arrays have. */
const OF_WRITES: readonly string[] = []
const OF_MATCHING: readonly string[] = ['filter']
const OF_REPLACE: readonly string[] = ['by']
const OF_RECORDS: readonly string[] = ['fields', 'include']
const OF_MOMENTS: readonly string[] = ['at', ...OF_RECORDS]
export const OF_GROUPS: readonly string[] = [
  'by',
  'values',
  'having',
  'timeZone',
  'limit',
  'offset',
  'filter',
  'sort',
  'count',
]
export const OF_LISTS: readonly string[] = [
  'limit',
  'offset',
  'filter',
  'search',
  'sort',
  'count',
  'after',
  ...OF_RECORDS,
]

interface WithUrl {
  readonly url: string
}

/** Reads the query of a list. `without`: the names that a handler has taken out of it. */
export function queryOfList({ url }: WithUrl, without: readonly string[], limits: Limits): RequestQuery {
  const parameters = readParameters(url, without, OF_LISTS)
  const { values, problems } = parameters
  const list = {
    ...pageRequest(parameters, limits),
    ...(values.has('search') && { search: values.get('search') }),
    ...(values.has('after') && { after: values.get('after') }),
    ...recordRequest(parameters),
  }
  return { ...NO_QUERY, list, problems }
}

/** Reads the query of groups. */
export function queryOfGroups({ url }: WithUrl, without: readonly string[], limits: Limits): RequestQuery {
  const parameters = readParameters(url, without, OF_GROUPS)
  const { values, problems } = parameters
  const having = values.get('having')
  const groups = {
    ...pageRequest(parameters, limits),
    ...(values.has('by') && { by: values.get('by')?.split(',') }),
    values: values.get('values')?.split(','),
    ...(having !== undefined && { having: jsonFilterIn('having', having, problems) }),
    ...(values.has('timeZone') && { timeZone: values.get('timeZone') }),
  }
  return { ...NO_QUERY, groups, problems }
}

/** What lists and groups are asked for alike. */
function pageRequest(parameters: Parameters, { defaultPage, maxPage }: Limits) {
  const { values, filters, problems } = parameters
  const filter = filterOf(values.get('filter'), filters, problems)
  return {
    limit: numberOf(parameters, 'limit', { least: 1, most: maxPage }) ?? defaultPage,
    ...(values.has('offset') && { offset: numberOf(parameters, 'offset', FROM_ZERO) ?? 0 }),
    ...(filter !== undefined && { filter }),
    ...(values.has('sort') && { sort: values.get('sort')?.split(',') }),
    ...(values.has('count') && { count: numberOrText(values.get('count') as string) }),
  }
}

/** Reads the query of a single record. */
export function queryOfRecord(url: string, without: readonly string[]): RequestQuery {
  const parameters = readParameters(url, without, OF_RECORDS)
  const record = recordRequest(parameters)
  const { problems } = parameters
  if (Object.keys(record).length === 0 && problems.length === 0) return NO_QUERY
  return { ...NO_QUERY, record, problems }
}

/** Reads the query of a record as it was: with the moment. */
export function queryOfMoment(
  url: string,
  without: readonly string[],
): Required<Pick<RequestQuery, 'record' | 'problems'>> & { readonly at: string | undefined } {
  const parameters = readParameters(url, without, OF_MOMENTS)
  const { values, problems } = parameters
  return { at: values.get('at'), record: recordRequest(parameters), problems }
}

/** Reads the query of a write of all records that match. */
export function queryOfMatching(url: string, without: readonly string[]): RequestQuery {
  const { values, filters, problems } = readParameters(url, without, OF_MATCHING)
  const filter = filterOf(values.get('filter'), filters, problems)
  return { ...NO_QUERY, matching: filter === undefined ? undefined : { limit: 1, filter }, problems }
}

/** Reads the query of a PUT to a list. */
export function queryOfReplace(url: string, without: readonly string[]): RequestQuery {
  const { values, problems } = readParameters(url, without, OF_REPLACE)
  return { ...NO_QUERY, by: values.get('by')?.split(','), problems }
}

/** Reads the query of a request that takes none. */
export function queryOfWrite(url: string, without: readonly string[]): RequestQuery {
  const { problems } = readParameters(url, without, OF_WRITES)
  return problems.length === 0 ? NO_QUERY : { ...NO_QUERY, problems }
}

function readParameters(url: string, without: readonly string[], names: readonly string[]): Parameters {
  const problems: Problem[] = []
  const entries = readQueryString(url, problems).filter(([name]) => !without.includes(name))
  problems.push(...repeatedNames(entries, (name) => bracketOf(name)?.isList === true))
  const values = new Map<string, string>()
  const filters: BracketedFilter[] = []
  const nested: BracketedNested[] = []
  for (const [name, value] of entries) {
    if (names.includes(name)) {
      values.set(name, value)
      continue
    }
    const filter = names.includes('filter') ? bracketOf(name) : undefined
    const nestedBracket = names.includes('include') ? nestedBracketOf(name) : undefined
    if (filter !== undefined) filters.push({ ...filter, name, value })
    else if (nestedBracket !== undefined) nested.push({ ...nestedBracket, name, value })
    else problems.push(unknownParameter(name))
  }
  return { values, filters, nested, problems }
}

function unknownParameter(name: string): Problem {
  const parameter = shortened(name)
  const message = `there is no query parameter '${parameter}'`
  return { parameter, message, keyword: 'additionalProperties', params: { additionalProperty: parameter } }
}

function recordRequest({ values, nested, problems }: Parameters): RecordRequest {
  return {
    ...(values.has('fields') && { fields: values.get('fields')?.split(',') }),
    ...(values.has('include') && { include: values.get('include')?.split(',') }),
    ...(nested.length > 0 && { nested: nestedInBrackets(nested, problems) }),
  }
}

function filterOf(json: string | undefined, brackets: readonly BracketedFilter[], problems: Problem[]): unknown {
  if (json === undefined) return brackets.length === 0 ? undefined : filterInBrackets(brackets, problems)
  if (brackets.length > 0) {
    const message = `the query has two filters: 'filter' and '${shortened(brackets[0]?.name ?? '')}'; use one of the two spellings`
    problems.push({ parameter: 'filter', message, keyword: 'repeated' })
  }
  return jsonFilterIn('filter', json, problems)
}

interface Range {
  readonly least: number
  readonly most: number
}

const FROM_ZERO: Range = { least: 0, most: Number.MAX_SAFE_INTEGER }

/** Undefined if the query does not say, or says something else than a number in the range, which is a problem. */
function numberOf({ values, problems }: Parameters, name: string, { least, most }: Range): number | undefined {
  const text = values.get(name)
  if (text === undefined) return undefined
  const value = numberOrText(text)
  if (typeof value === 'number' && value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  const message = `the query parameter '${name}' must be an integer ${range}`
  const params = { minimum: least, ...(most !== Number.MAX_SAFE_INTEGER && { maximum: most }) }
  problems.push({ parameter: name, message, keyword: 'range', params })
  return undefined
}

/** `nested[path][option]`. */
interface NestedBracket {
  readonly path: string
  readonly option: string
}

/** One option of a nested array. */
interface BracketedNested extends NestedBracket {
  /** The whole name of the parameter. */
  readonly name: string
  readonly value: string
}

const BRACKETS = /^nested\[([^[\]]*)\]\[([^[\]]*)\]$/

/** What a parameter's name says; undefined if it says nothing of a nested array. */
function nestedBracketOf(name: string): NestedBracket | undefined {
  const [, path, option] = BRACKETS.exec(name) ?? []
  return path === undefined || option === undefined ? undefined : { path, option }
}

/** What parameters say of nested arrays, as an object by their paths. Only the model tells what the options mean. */
function nestedInBrackets(brackets: readonly BracketedNested[], problems: Problem[]): object {
  // Without a prototype, as `__proto__` is a name like any other here.
  const nested: Record<string, Record<string, unknown>> = Object.create(null)
  for (const { name, path, option, value } of brackets) {
    nested[path] ??= Object.create(null) as Record<string, unknown>
    nested[path][option] = option === 'filter' ? jsonFilterIn(name, value, problems) : optionIn(option, value)
  }
  return nested
}

function optionIn(option: string, value: string): unknown {
  if (option === 'sort') return value.split(',')
  return option === 'limit' ? numberOrText(value) : value
}

/** The filter in the value of a parameter; undefined if it is not JSON, which is a problem. */
function jsonFilterIn(name: string, value: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(value)
  } catch {
    const parameter = shortened(name)
    const message = `${parameter}: is not JSON; in JSON it looks like {"price":{"gte":10}}`
    problems.push({ parameter, message, keyword: 'format', params: { format: 'json' } })
    return undefined
  }
}

/** `filter[path]` or `filter[path][operator]`. */
interface Bracket {
  readonly path: string
  readonly operator: string
  /** Each value of a list has a parameter of its own. */
  readonly isList: boolean
}

/** One condition of a filter that is spelled in brackets. */
interface BracketedFilter extends Bracket {
  /** The whole name of the parameter. */
  readonly name: string
  readonly value: string
}

const FILTER_BRACKETS = /^filter\[([^[\]]*)\](?:\[([^[\]]*)\])?$/

/** What a parameter's name says; undefined if it is no filter in brackets. */
function bracketOf(name: string): Bracket | undefined {
  const [, path, operator = 'eq'] = FILTER_BRACKETS.exec(name) ?? []
  return path === undefined ? undefined : { path, operator, isList: operator === 'in' || operator === 'nin' }
}

/** A filter in brackets, in the form of a JSON filter. Only the model tells what the texts of its values mean. */
function filterInBrackets(brackets: readonly BracketedFilter[], problems: Problem[]): object {
  // Without a prototype, as `__proto__` is a name like any other here.
  const filter: Record<string, Record<string, unknown>> = Object.create(null)
  let repeated: ReadonlySet<string> | undefined
  for (const { name, path, operator, isList, value } of brackets) {
    filter[path] ??= Object.create(null) as Record<string, unknown>
    const operators = filter[path]
    const spelling = new Spelling(value, shortened(name))
    if (WORDS.includes(path)) {
      const message = `the query parameter '${shortened(name)}': 'and', 'or' and 'not' are only possible in a JSON filter`
      problems.push({ parameter: shortened(name), message, keyword: 'path', params: { path } })
    } else if (isList) {
      operators[operator] ??= []
      ;(operators[operator] as Spelling[]).push(spelling)
    } else if (operator in operators) {
      repeated ??= namesTwiceIn(brackets.map((one) => one.name))
      // `repeatedNames` tells of two equal names; these are `filter[price]` and `filter[price][eq]`.
      if (!repeated.has(name)) problems.push(isRepeated(name))
    } else {
      operators[operator] = spelling
    }
  }
  return filter
}

const WORDS: readonly string[] = ['and', 'or', 'not']
