import type { Tape } from '../property/tape.ts'
import type { Feature } from './features.ts'
import { readPath } from './paths.ts'
import { hasBrackets } from './query-text.ts'
import { type FilterMaker, randomFilter, randomPath } from './random-filter.ts'
import type { ReadingResource } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'

const MOST_SORT_KEYS = 5

/** A valid query of a list. */
export function randomQuery(
  maker: FilterMaker,
  resource: ReadingResource,
  features: ReadonlySet<Feature>,
): ReadingQuery {
  const { tape } = maker
  const has = (feature: Feature, times: number): boolean => tape.upTo(times) > 0 && features.has(feature)
  const filter = has('filter', 4) ? randomFilter(maker, resource) : undefined
  const sort = has('sort', 3) ? randomSort(maker, resource) : []
  const search =
    features.has('search') && resource.search !== undefined && tape.once(3) ? randomSearch(tape) : undefined
  const count = features.has('count') && tape.once(3) ? tape.of(['none', 1, 2, 'exact', 5, 1000] as const) : undefined
  const limit = tape.once(2) ? tape.of([2, 1, 3, 7, 100]) : undefined
  const offset = tape.once(4) ? tape.of([1, 0, 2, 5, 30]) : undefined
  return {
    ...(filter !== undefined && { filter }),
    ...(filter !== undefined && hasBrackets(filter) && !tape.once(3) && { spelling: 'brackets' as const }),
    ...(sort.length > 0 && { sort }),
    ...(search !== undefined && { search }),
    ...(count !== undefined && { count }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  }
}

function randomSearch(tape: Tape): string {
  const words = ['a', 'A', 'b', 'ß', '%', 'long', 'É', 'á', 'd', '😀', 'i', 'σ']
  return Array.from({ length: 1 + tape.upTo(2) }, () => tape.of(words)).join(' ')
}

/** Up to five keys, none of them twice. */
export function randomSort(maker: FilterMaker, resource: ReadingResource): string[] {
  const { tape } = maker
  const count = tape.of([1, 1, 2, 1, 3, MOST_SORT_KEYS]) ?? 1
  const keys = new Map<string, string>()
  for (let made = 0; made < count; made += 1) {
    const key = randomSortKey(maker, resource)
    keys.set(key, `${tape.once(2) ? '-' : ''}${key}`)
  }
  return [...keys.values()]
}

function randomSortKey(maker: FilterMaker, resource: ReadingResource): string {
  const { sight, tape } = maker
  const counted = tape.once(5) ? tape.of(resource.relations.filter(({ isMany }) => isMany)) : undefined
  if (counted !== undefined) return `count(${counted.name})`
  const text = randomPath(maker, resource, ({ isMany }) => !isMany)
  const { value } = readPath(sight.model, resource, text)
  // The page says nothing of sorting by what is inside of JSON.
  if (value?.isInsideJson === true) return 'id'
  return value?.type === 'string' && tape.once(3) ? `lower(${text})` : text
}
