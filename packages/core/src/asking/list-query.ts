import { type Fault, type ParameterProblem, shortened } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import type { Resource, SearchField } from '../model/model.ts'
import { along, type Condition, comparesByType, EVERYTHING, foldsCaseIn, not, shapeOf } from './condition.ts'
import { type Cursor, type CursorScope, cursorShape, readCursor, readOffset } from './cursor.ts'
import { costOf, costOfWord } from './parameters/query-cost.ts'
import { queryProblem, readCount } from './parameters/query-problem.ts'
import { readFilter } from './parameters/read-filter.ts'
import { readSort } from './parameters/read-sort.ts'
import { readValue } from './parameters/read-value.ts'
import { PLAIN_RECORD, type RecordQuery, type RecordRequest, readRecordQuery } from './record-query.ts'
import { scalarTypeOf } from './scalar-type.ts'
import type { Scope } from './scope.ts'
import { type Count, countShape } from './scope.ts'
import { isFolding, keptOrderAt, type SortKey, sortShape, sortsByType } from './sort-key.ts'

/** What the client of a list asks for, unread. */
export interface ListRequest extends RecordRequest {
  readonly limit: number
  /** Default: 0. */
  readonly offset?: number | undefined
  /** A filter in its JSON form. */
  readonly filter?: unknown
  /** Words, each of which occurs in one of the resource's search fields. */
  readonly search?: unknown
  /** Sort keys, such as `['-price', 'title']`. */
  readonly sort?: unknown
  /** A {@link Count}. */
  readonly count?: unknown
  /** The cursor behind which the page begins. */
  readonly after?: unknown
  /** What is wrong with it is told as of a body. */
  readonly isInBody?: boolean
}

/** What a list is to have, checked against the model. Lists of one path with equal shapes differ only in values. */
export interface ListQuery extends RecordQuery {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  readonly count: Count
  /** Undefined: the list from its beginning. */
  readonly after: Cursor | undefined
  /** How many records the cursor of a list without ids leaves out; undefined: as many as the request says. */
  readonly offset: number | undefined
}

/** All records and their count, by their ids. */
export const PLAIN_LIST: ListQuery = Object.freeze({
  ...PLAIN_RECORD,
  condition: EVERYTHING,
  sort: [],
  count: 'exact',
  after: undefined,
  offset: undefined,
})

/** Reads what a client asks of a list. Adds a problem for each thing that is wrong; the query is complete only if there
 * is none. */
export function readListQuery(
  at: Address,
  request: ListRequest,
  scope: Scope,
  problems: ParameterProblem[],
): ListQuery {
  const { resource, kept: keptRecords } = at.path
  const latest = keptRecords?.shows(resource)
  const { filter, search, sort: keys = latest && [`-${latest.name}`], limit } = request
  const ofRecords = readRecordQuery(resource, request, limit, scope, problems)
  const count = readCount(request.count, request.after === undefined ? scope.limits.count : 'none', problems)
  const isWhole = filter === undefined && search === undefined && request.after === undefined
  const kept = keptOrderAt(at.path)
  const isPlain = isWhole && keys === undefined && kept.length === 0 && count === 'exact'
  if (isPlain && ofRecords === PLAIN_RECORD) return PLAIN_LIST
  const filtered = filter === undefined ? EVERYTHING : readFilter(resource, filter, scope, problems)
  const condition = search === undefined ? filtered : both(filtered, readSearch(resource, search, scope, problems))
  const sort = keys === undefined ? kept : readSort(resource, keys, scope, problems)
  const begin = readAfter(request, { at, condition, sort }, problems)
  const [after, offset] = typeof begin === 'number' ? [undefined, begin] : [begin, undefined]
  const shape = [shapeOf(condition), sortShape(sort), countShape(count), cursorShape(after), ofRecords.shape].join(' ')
  const foldsCase = ofRecords.foldsCase || foldsCaseIn(condition) || sort.some(isFolding)
  const dependsOnTypes = ofRecords.dependsOnTypes || comparesByType(condition) || sort.some(sortsByType)
  const cost = costOf(scope.costs)
  return { ...ofRecords, shape, condition, sort, count, after, offset, foldsCase, dependsOnTypes, cost }
}

function both(filter: Condition, search: Condition): Condition {
  return filter === EVERYTHING ? search : { kind: 'all', conditions: [filter, search] }
}

function readAfter(
  { after, offset }: ListRequest,
  scope: CursorScope,
  problems: ParameterProblem[],
): Cursor | number | undefined {
  if (after === undefined) return undefined
  if (offset !== undefined) problems.push(queryProblem('after', "after: cannot be combined with 'offset'", 'cursor'))
  // What is wrong with filter, search or sort makes another list of it.
  if (problems.length > 0) return undefined
  return scope.at.path.resource.hasId ? readCursor(scope, after, problems) : readOffset(scope, after, problems)
}

/** The most words of a search. */
const MOST_WORDS = 8

/** An index has no part of a text that is shorter. */
const LETTERS_OF_INDEX = 3

/**
 * Reads a search: each of its words occurs in one of the resource's search fields, of those that the caller may see.
 * Adds a problem if it is none.
 */
function readSearch(resource: Resource, given: unknown, scope: Scope, problems: ParameterProblem[]): Condition {
  const { search } = resource
  if (search === undefined) {
    // The same words as for any other name that means nothing.
    const params = { additionalProperty: 'search' }
    problems.push(queryProblem('search', "there is no query parameter 'search'", 'additionalProperties', params))
    return EVERYTHING
  }
  const words = readWords(given)
  if ('problem' in words) {
    const { message, ...fault } = words.problem
    problems.push({ parameter: 'search', message: `search: ${message}`, ...fault })
    return EVERYTHING
  }
  const shown = search.fields.filter((field) => isShown(field, scope))
  const isFound = ({ value }: SearchField) => scope.findsParts && search.indexed.some((field) => field === value)
  if (shown.length === 0) return NOTHING
  const own = shown.filter((field) => field.relations.length === 0 && isFound(field))
  /** Words that an index finds in each field: of these together, the rarest one decides how many records are looked
   * at. */
  const found: Condition[] = []
  const others: Condition[] = []
  for (const [index, word] of words.words.entries()) {
    scope.costs.push({ parameter: 'search', location: `search.${shortened(word)}`, cost: costOfWord(shown, index) })
    const isIndexed = own.length > 0 && [...word].length >= LETTERS_OF_INDEX
    const each = shown.map((field) => occursIn(field, word, isIndexed && own.includes(field)))
    if (!isIndexed) others.push({ kind: 'any', conditions: each })
    else if (own.length < shown.length) others.push({ kind: 'union', resource, conditions: each })
    else found.push({ kind: 'any', conditions: each })
  }
  if (found.length > 0) others.unshift({ kind: 'union', resource, conditions: [{ kind: 'all', conditions: found }] })
  return { kind: 'all', conditions: others }
}

function readWords(given: unknown): { readonly words: readonly string[] } | { readonly problem: Fault } {
  const read = readValue(given, 'string')
  if ('problem' in read) return read
  const words = String(read.value)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return { problem: { message: 'has no word', keyword: 'minItems', params: { limit: 1 } } }
  if (words.length <= MOST_WORDS) return { words: [...new Set(words)] }
  const message = `has more than ${MOST_WORDS} words, from '${shortened(words[MOST_WORDS] as string)}' on`
  return { problem: { message, keyword: 'maxItems', params: { limit: MOST_WORDS } } }
}

function isShown({ relations, value }: SearchField, { hidden, fieldRights, named }: Scope): boolean {
  for (const { target } of relations) named?.add(target)
  return fieldRights.sees(value) && !relations.some(({ target }) => hidden.has(target))
}

function occursIn({ relations, value }: SearchField, word: string, isFound: boolean): Condition {
  const operand = { kind: 'member', member: value, type: scalarTypeOf(value) } as const
  return along(relations, { kind: 'compare', operand, comparator: isFound ? 'occurs' : 'icontains', value: word })
}

const NOTHING: Condition = not(EVERYTHING)
