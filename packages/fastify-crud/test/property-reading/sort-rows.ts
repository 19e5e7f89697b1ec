import type { Json } from '../property/json.ts'
import type { Row } from '../property/reference-store.ts'
import { compareValues, textOf } from './compare-values.ts'
import { relatedRows, type Sight } from './filter-rows.ts'
import { fold } from './fold.ts'
import { readPath } from './paths.ts'
import type { ReadingResource } from './reading-model.ts'
import type { ValueType } from './value-types.ts'

interface SortKey {
  readonly isDescending: boolean
  readonly type: ValueType
  of(row: Row): Json
}

/**
 * Rows in the order of keys such as `-price`, `publisher.name`, `lower(title)` and `count(tags)`. Null comes last, and the id
 * breaks ties, in the direction of the last key.
 *
 * @throws Error if there is no such key.
 */
export function sortRows(
  sight: Sight,
  resource: ReadingResource,
  rows: readonly Row[],
  sort: readonly string[],
): Row[] {
  const keys = sort.map((text) => readKey(sight, resource, text))
  const byId = keys.at(-1)?.isDescending === true ? -1 : 1
  return [...rows].sort((one, other) => {
    for (const key of keys) {
      const difference = compareBy(key, one, other)
      if (difference !== 0) return difference
    }
    return byId * (one.id - other.id)
  })
}

function compareBy({ isDescending, type, of }: SortKey, one: Row, other: Row): number {
  const [left, right] = [of(one), of(other)]
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  const difference = compareValues(type, left, right)
  return isDescending ? -difference : difference
}

function readKey(sight: Sight, resource: ReadingResource, text: string): SortKey {
  const match = /^(?<minus>-?)(?:(?<name>lower|count)\()?(?<path>[^()]+)\)?$/.exec(text)
  const { minus, name, path: asked = '' } = match?.groups ?? {}
  const isDescending = minus === '-'
  const path = readPath(sight.model, resource, asked)
  const { relations, value } = path
  if (name === 'count') {
    if (value !== undefined || !path.isToMany) throw new Error(`${asked} is not counted`)
    return { isDescending, type: 'integer', of: (row) => relatedRows(sight, relations, row).length }
  }
  if (value === undefined || path.isToMany || value.type === 'json') throw new Error(`${asked} is no single value`)
  const of = (row: Row): Json => {
    const [end] = relatedRows(sight, relations, row)
    const found = end === undefined ? null : value.of(end)
    return name === 'lower' && found !== null ? fold(textOf(found), sight.folding) : found
  }
  return { isDescending, type: value.type, of }
}
