import type { Sight } from './filter-rows.ts'
import { readPath } from './paths.ts'
import { readingResourceOf } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'
import type { Collection } from './reference-list.ts'

/** The default of `limits.maxRows`. */
export const MOST_ROWS = 100_000
const DEFAULT_ROWS = 20

/** The most rows that a page can have along one path: its size times the bounds of the arrays that `include` adds. */
export function rowsAskedFor(
  { model }: Sight,
  { resource: key }: Collection,
  { include = [], nested = {}, limit = DEFAULT_ROWS }: ReadingQuery,
): number {
  const resource = readingResourceOf(model, key)
  const bounds = new Map<string, number>()
  for (const path of include.filter((one) => !one.startsWith('-'))) {
    const isMany = readPath(model, resource, path).relations.at(-1)?.isMany === true
    if (isMany) bounds.set(path, nested[path]?.limit ?? DEFAULT_ROWS)
  }
  const along = [...bounds.keys()].map((path) => {
    const above = [...bounds].filter(([other]) => path === other || path.startsWith(`${other}.`))
    return above.reduce((product, [, bound]) => product * bound, limit)
  })
  return Math.max(limit, ...along)
}
