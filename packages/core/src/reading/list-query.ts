import type { Resource } from '../model/model.ts'
import { type Condition, EVERYTHING, foldsCaseIn, shapeOf } from './condition.ts'
import { readFilter } from './read-filter.ts'
import { readSort } from './read-sort.ts'
import { PLAIN_RECORD, type RecordQuery, type RecordRequest, readRecordQuery } from './record-query.ts'
import type { Scope } from './scope.ts'
import { isFolding, type SortKey, sortShape } from './sort-key.ts'

/** What the client of a list asks for, unread. */
export interface ListRequest extends RecordRequest {
  readonly limit: number
  readonly offset: number
  /** A filter in its JSON form. */
  readonly filter?: unknown
  /** Sort keys, such as `['-price', 'title']`. */
  readonly sort?: unknown
}

/** What a list is to have, checked against the model. Lists of one path with equal shapes differ only in values. */
export interface ListQuery extends RecordQuery {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
}

/** All records, by their ids. */
export const PLAIN_LIST: ListQuery = Object.freeze({ ...PLAIN_RECORD, condition: EVERYTHING, sort: [] })

/** Reads what a client asks of a list. Adds a message for each thing that is wrong; the query is complete only if there is none. */
export function readListQuery(resource: Resource, request: ListRequest, scope: Scope, problems: string[]): ListQuery {
  const { filter, sort: keys, limit } = request
  const ofRecords = readRecordQuery(resource, request, limit, scope, problems)
  if (filter === undefined && keys === undefined && ofRecords === PLAIN_RECORD) return PLAIN_LIST
  const condition = filter === undefined ? EVERYTHING : readFilter(resource, filter, scope, problems)
  const sort = keys === undefined ? [] : readSort(resource, keys, scope, problems)
  return {
    ...ofRecords,
    shape: `${shapeOf(condition)} ${sortShape(sort)} ${ofRecords.shape}`,
    condition,
    sort,
    foldsCase: ofRecords.foldsCase || foldsCaseIn(condition) || sort.some(isFolding),
  }
}
