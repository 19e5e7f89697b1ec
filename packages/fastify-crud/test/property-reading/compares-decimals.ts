import { isObject, type Json } from '../property/json.ts'
import type { Sight } from './filter-rows.ts'
import { readPath } from './paths.ts'
import { type ReadingResource, readingResourceOf } from './reading-model.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'
import type { Collection } from './reference-list.ts'

/** Whether a filter or a sort looks at a decimal. SQLite does that by functions that only `openSqlite` registers. */
export function comparesDecimals(sight: Sight, { resource: key }: Collection, query: ReadingQuery): boolean {
  const resource = readingResourceOf(sight.model, key)
  return (
    isIn(sight, resource, query) ||
    Object.entries(query.nested ?? {}).some(([path, nested]) => {
      return isIn(sight, readPath(sight.model, resource, path).resource, nested)
    })
  )
}

function isIn(sight: Sight, resource: ReadingResource, { filter = {}, sort = [] }: NestedQuery): boolean {
  const paths = sort.map((one) => one.replace(/^-?(?:\w+\()?/, '').replace(/\)$/, ''))
  return inFilter(sight, resource, filter) || paths.some((path) => isDecimal(sight, resource, path))
}

function isDecimal({ model }: Sight, resource: ReadingResource, path: string): boolean {
  return readPath(model, resource, path).value?.type === 'decimal'
}

function inFilter(sight: Sight, resource: ReadingResource, filter: Json): boolean {
  if (Array.isArray(filter)) return filter.some((one) => inFilter(sight, resource, one))
  if (!isObject(filter)) return false
  return Object.entries(filter).some(([key, asked]) => {
    if (key === 'and' || key === 'or' || key === 'not') return inFilter(sight, resource, asked)
    const path = readPath(sight.model, resource, key)
    if (path.value !== undefined) return path.value.type === 'decimal'
    return isObject(asked) && Object.values(asked).some((inner) => inFilter(sight, path.resource, inner))
  })
}
