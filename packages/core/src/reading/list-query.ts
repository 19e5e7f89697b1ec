import type { Resource } from '../model/model.ts'
import { type Condition, comparisonsIn, EVERYTHING, shapeOf } from './condition.ts'
import { readFilter } from './read-filter.ts'
import { readSort } from './read-sort.ts'
import type { Scope } from './scope.ts'
import { type SortKey, sortShape } from './sort-key.ts'

/** What the client of a list asks for, unread. */
export interface ListRequest {
  readonly limit: number
  readonly offset: number
  /** A filter in its JSON form. */
  readonly filter?: unknown
  /** Sort keys, such as `['-price', 'title']`. */
  readonly sort?: unknown
}

/** What a list is to have, checked against the model. */
export interface ListQuery {
  /** Lists of one path with equal shapes differ only in values. */
  readonly shape: string
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  /** Whether the case of letters does not count somewhere. */
  readonly foldsCase: boolean
}

/** All records, by their ids. */
export const PLAIN_LIST: ListQuery = Object.freeze({ shape: '', condition: EVERYTHING, sort: [], foldsCase: false })

/** Reads what a client asks of a list. Adds a message for each thing that is wrong; the query is complete only if there is none. */
export function readListQuery(resource: Resource, request: ListRequest, scope: Scope, problems: string[]): ListQuery {
  const { filter, sort: keys } = request
  if (filter === undefined && keys === undefined) return PLAIN_LIST
  const condition = filter === undefined ? EVERYTHING : readFilter(resource, filter, scope, problems)
  const sort = keys === undefined ? [] : readSort(resource, keys, scope, problems)
  return { shape: `${shapeOf(condition)} ${sortShape(sort)}`, condition, sort, foldsCase: foldsCase(condition, sort) }
}

function foldsCase(condition: Condition, sort: readonly SortKey[]): boolean {
  const isFolding = comparisonsIn(condition).some(
    ({ comparator }) => comparator === 'icontains' || comparator === 'istartsWith',
  )
  return isFolding || sort.some(({ by }) => by.kind === 'value' && by.isLowered)
}

/** The resources at the far ends of all relations that a query names. */
export function resourcesIn({ condition, sort }: ListQuery): ReadonlySet<Resource> {
  const found = new Set<Resource>()
  const visit = (one: Condition): void => {
    switch (one.kind) {
      case 'all':
      case 'any':
        for (const inner of one.conditions) visit(inner)
        break
      case 'some':
        found.add(one.relation.target)
        visit(one.condition)
        break
      case 'not':
        visit(one.condition)
        break
      case 'compare':
    }
  }
  visit(condition)
  for (const { by } of sort) for (const { target } of by.relations) found.add(target)
  return found
}
