import type { JsonObject } from '../property/json.ts'
import { type Row, rowsOf } from '../property/reference-store.ts'
import { isFound, matches, type Sight } from './filter-rows.ts'
import { readingResourceOf } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'
import { shownRecord } from './reference-show.ts'
import { selectionOf } from './selection.ts'
import { sortRows } from './sort-rows.ts'

/** The records of a path: those at the top of the service, or those that one record owns through one relation. */
export interface Collection {
  readonly resource: string
  readonly owner: Row['owner']
}

/** What a list must answer. */
export interface ExpectedPage {
  readonly rows: JsonObject[]
  /** `count`, and `countIs` where the number is only a lower bound. */
  readonly count: JsonObject
  /** There are records behind this page. */
  readonly hasNext: boolean
}

const DEFAULT_LIMIT = 20

/** One page of the records that a query asks for. */
export function pageOf(sight: Sight, collection: Collection, query: ReadingQuery): ExpectedPage {
  const { limit = DEFAULT_LIMIT, offset = 0 } = query
  const all = recordsOf(sight, collection, query)
  return {
    rows: all.slice(offset, offset + limit),
    count: countOf(all.length, query.count ?? 'exact'),
    hasNext: all.length > offset + limit,
  }
}

/** All records that a query asks for, in order, without regard to pages. */
export function recordsOf(sight: Sight, { resource: key, owner }: Collection, query: ReadingQuery): JsonObject[] {
  const { filter = {}, search, sort = [] } = query
  const resource = readingResourceOf(sight.model, key)
  const rows = [...rowsOf(sight.state, key).values()].filter((row) => {
    const belongs = row.owner?.relation === owner?.relation && row.owner?.id === owner?.id
    const isRight = belongs && matches(sight, resource, row, filter)
    return isRight && (search === undefined || isFound(sight, resource, row, search))
  })
  const selection = selectionOf(sight.model, resource, query)
  return sortRows(sight, resource, rows, sort).map((row) => shownRecord(sight, resource, row, true, selection))
}

/** A single record, as a query asks for it. */
export function recordAt(sight: Sight, key: string, id: number, query: ReadingQuery): JsonObject {
  const row = rowsOf(sight.state, key).get(id)
  if (row === undefined) throw new Error(`${key} ${id} is not there`)
  const resource = readingResourceOf(sight.model, key)
  return shownRecord(sight, resource, row, true, selectionOf(sight.model, resource, query))
}

function countOf(number: number, count: 'exact' | 'none' | number): JsonObject {
  if (count === 'none') return {}
  if (count === 'exact' || number <= count) return { count: number }
  return { count, countIs: 'atLeast' }
}
