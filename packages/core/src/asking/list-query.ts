import type { ParameterProblem } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { type Condition, comparesByType, EVERYTHING, foldsCaseIn, shapeOf } from './condition.ts'
import { type Count, countShape } from './count.ts'
import { type Cursor, type CursorScope, cursorShape, readCursor, readOffset } from './cursor.ts'
import { costOf } from './parameters/query-cost.ts'
import { queryProblem } from './parameters/query-problem.ts'
import { readCount } from './parameters/read-count.ts'
import { readFilter } from './parameters/read-filter.ts'
import { readSearch } from './parameters/read-search.ts'
import { readSort } from './parameters/read-sort.ts'
import { PLAIN_RECORD, type RecordQuery, type RecordRequest, readRecordQuery } from './record-query.ts'
import type { Scope } from './scope.ts'
import { isFolding, type SortKey, sortShape, sortsByType } from './sort-key.ts'

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

/** Reads what a client asks of a list. Adds a problem for each thing that is wrong; the query is complete only if there is none. */
export function readListQuery(
  at: Address,
  request: ListRequest,
  scope: Scope,
  problems: ParameterProblem[],
): ListQuery {
  const { resource } = at.path
  const { filter, search, sort: keys, limit } = request
  const ofRecords = readRecordQuery(resource, request, limit, scope, problems)
  const count = readCount(request.count, request.after === undefined ? scope.limits.count : 'none', problems)
  const isWhole = filter === undefined && search === undefined && request.after === undefined
  const isPlain = isWhole && keys === undefined && count === 'exact'
  if (isPlain && ofRecords === PLAIN_RECORD) return PLAIN_LIST
  const filtered = filter === undefined ? EVERYTHING : readFilter(resource, filter, scope, problems)
  const condition = search === undefined ? filtered : both(filtered, readSearch(resource, search, scope, problems))
  const sort = keys === undefined ? [] : readSort(resource, keys, scope, problems)
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
