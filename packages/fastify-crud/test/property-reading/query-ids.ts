import { isObject, type Json, type JsonObject } from '../property/json.ts'
import { readPath } from './paths.ts'
import { type ReadingModel, type ReadingResource, readingResourceOf } from './reading-model.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'

/** The query with the databases' ids in the place of the reference's. */
export function withSideIds(model: ReadingModel, start: ReadingResource, query: ReadingQuery): ReadingQuery {
  const { filter, nested } = query
  const below = Object.entries(nested ?? {}).map(([path, one]): [string, NestedQuery] => {
    const { resource } = readPath(model, start, path)
    return [path, one.filter === undefined ? one : { ...one, filter: filterOf(model, resource, one.filter) }]
  })
  return {
    ...query,
    ...(filter === undefined ? {} : { filter: filterOf(model, start, filter) }),
    ...(nested === undefined ? {} : { nested: Object.fromEntries(below) }),
  }
}

function filterOf(model: ReadingModel, resource: ReadingResource, filter: Json): JsonObject {
  const inner = (one: Json): Json => filterOf(model, resource, one)
  return Object.fromEntries(
    Object.entries(isObject(filter) ? filter : {}).map(([key, asked]): [string, Json] => {
      if (key === 'not') return [key, inner(asked)]
      if (key === 'and' || key === 'or') return [key, Array.isArray(asked) ? asked.map(inner) : asked]
      return [key, conditionOf(model, resource, key, asked)]
    }),
  )
}

function conditionOf(model: ReadingModel, start: ReadingResource, path: string, asked: Json): Json {
  const { value, resource } = readPath(model, start, path)
  const each = (change: (operand: Json) => Json): Json =>
    isObject(asked)
      ? Object.fromEntries(Object.entries(asked).map(([name, one]) => [name, change(one)]))
      : change(asked)
  if (value === undefined) return each((filter) => filterOf(model, readingResourceOf(model, resource.key), filter))
  const { idOf } = value
  if (idOf === undefined) return asked
  const spelled = (one: Json): Json => (typeof one === 'number' ? model.idsOf(idOf).spell(one) : one)
  return each((one) => (Array.isArray(one) ? one.map(spelled) : spelled(one)))
}
