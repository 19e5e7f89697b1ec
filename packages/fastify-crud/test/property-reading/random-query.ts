import type { Feature } from './features.ts'
import { hasBrackets } from './query-text.ts'
import { type FilterMaker, tellingFilter } from './random-filter.ts'
import { randomSearch } from './random-search.ts'
import { randomShape } from './random-selection.ts'
import { randomSort } from './random-sort.ts'
import type { ReadingResource } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'

/** A valid query of a list. */
export function randomQuery(
  maker: FilterMaker,
  resource: ReadingResource,
  features: ReadonlySet<Feature>,
): ReadingQuery {
  const { tape } = maker
  const has = (feature: Feature, times: number): boolean => tape.upTo(times) > 0 && features.has(feature)
  const filter = has('filter', 4) ? tellingFilter(maker, resource) : undefined
  const sort = has('sort', 3) ? randomSort(maker, resource) : []
  const search =
    features.has('search') && resource.search !== undefined && tape.once(3) ? randomSearch(maker, resource) : undefined
  const count = features.has('count') && tape.once(3) ? tape.of(['none', 1, 2, 'exact', 5, 1000] as const) : undefined
  const shape = randomShape(maker, resource, features)
  const limit = tape.once(2) ? tape.of([2, 1, 3, 7, 100]) : undefined
  const offset = tape.once(4) ? tape.of([1, 0, 2, 5, 30]) : undefined
  return {
    ...(filter !== undefined && { filter }),
    ...(filter !== undefined && hasBrackets(filter) && !tape.once(3) && { spelling: 'brackets' as const }),
    ...(sort.length > 0 && { sort }),
    ...(search !== undefined && { search }),
    ...(count !== undefined && { count }),
    ...shape,
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  }
}
