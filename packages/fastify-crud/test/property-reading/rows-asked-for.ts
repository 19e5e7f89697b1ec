import type { Sight } from './filter-rows.ts'
import { type ReadingModel, type ReadingResource, readingResourceOf } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'
import type { Collection } from './reference-list.ts'
import { type Selection, selectionOf } from './selection.ts'

/** The default of `limits.maxRows`. */
export const MOST_ROWS = 100_000
const DEFAULT_ROWS = 20

/** The most rows that a page can have along one path: its size times the bounds of its arrays. What a record carries by itself has none. */
export function rowsAskedFor({ model }: Sight, { resource: key }: Collection, query: ReadingQuery): number {
  const resource = readingResourceOf(model, key)
  return mostRows(model, resource, selectionOf(model, resource, query), true, query.limit ?? DEFAULT_ROWS)
}

function mostRows(
  model: ReadingModel,
  resource: ReadingResource,
  { below }: Selection,
  isWhole: boolean,
  above: number,
): number {
  const along = resource.relations.flatMap(({ name, target, isMany, isDefault, isOwned }) => {
    const selection = below.get(name)
    if (selection === undefined) return []
    const bound = isMany && !(isWhole && isDefault) ? DEFAULT_ROWS : 1
    const rows = above * (selection.nested?.limit ?? bound)
    return [mostRows(model, readingResourceOf(model, target), selection, isOwned, rows)]
  })
  return Math.max(above, ...along)
}
