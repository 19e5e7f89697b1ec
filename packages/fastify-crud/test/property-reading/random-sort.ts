import { readPath } from './paths.ts'
import { type FilterMaker, randomPath, randomToMany } from './random-filter.ts'
import type { ReadingResource } from './reading-model.ts'

const MOST_SORT_KEYS = 5

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
  const counted = tape.once(5) ? randomToMany(maker, resource) : undefined
  if (counted !== undefined) return `count(${counted.text})`
  const text = randomPath(maker, resource, ({ isMany }) => !isMany)
  const { value } = readPath(sight.model, resource, text)
  return value?.type === 'string' && tape.once(3) ? `lower(${text})` : text
}
