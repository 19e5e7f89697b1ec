import { isObject, type Json, type JsonObject } from '../property/json.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'

export type Pair = readonly [key: string, value: string]

/** A query as it stands in a URL, with its `?`; nothing if nothing is asked. */
export function queryText(query: ReadingQuery): string {
  return textOfPairs(pairsOf(query))
}

export function textOfPairs(pairs: readonly Pair[]): string {
  const parts = pairs.map(([key, value]) => `${encodeKey(key)}=${encodeURIComponent(value)}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Brackets stay as people write them. */
function encodeKey(key: string): string {
  return encodeURIComponent(key).replaceAll('%5B', '[').replaceAll('%5D', ']')
}

export function pairsOf(query: ReadingQuery): Pair[] {
  const { filter, search, sort = [], limit, offset, count, fields = [], include = [], nested = {} } = query
  const plain = {
    search,
    sort: sort.join(','),
    limit,
    offset,
    count,
    fields: fields.join(','),
    include: include.join(','),
  }
  return [
    ...(filter === undefined ? [] : filterPairs(query, filter)),
    ...Object.entries(plain).flatMap(([key, value]): Pair[] => {
      return value === undefined || value === '' ? [] : [[key, String(value)]]
    }),
    ...Object.entries(nested).flatMap(([path, one]) => nestedPairs(path, one)),
  ]
}

function nestedPairs(path: string, { limit, sort = [], filter }: NestedQuery): Pair[] {
  const pair = (name: string, value: string): Pair => [`nested[${path}][${name}]`, value]
  return [
    ...(limit === undefined ? [] : [pair('limit', String(limit))]),
    ...(sort.length === 0 ? [] : [pair('sort', sort.join(','))]),
    ...(filter === undefined ? [] : [pair('filter', JSON.stringify(filter))]),
  ]
}

function filterPairs({ spelling }: ReadingQuery, filter: JsonObject): Pair[] {
  return spelling === 'brackets' ? bracketPairs(filter) : [['filter', JSON.stringify(filter)]]
}

function bracketPairs(filter: JsonObject): Pair[] {
  return Object.entries(filter).flatMap(([path, asked]): Pair[] => {
    if (!isObject(asked)) return [[`filter[${path}]`, textOfValue(asked)]]
    return Object.entries(asked).flatMap(([operator, operand]): Pair[] => {
      const key = `filter[${path}][${operator}]`
      return (Array.isArray(operand) ? operand : [operand]).map((one) => [key, textOfValue(one)])
    })
  })
}

function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a filter can be spelled in brackets: only conditions, joined by AND, without an empty list. */
export function hasBrackets(filter: JsonObject): boolean {
  const isList = (value: Json): boolean => Array.isArray(value)
  return Object.entries(filter).every(([key, asked]) => {
    if (['and', 'or', 'not'].includes(key) || isList(asked)) return false
    if (!isObject(asked)) return true
    return Object.entries(asked).every(([name, operand]) => {
      return !['some', 'every', 'none'].includes(name) && !(Array.isArray(operand) && operand.length === 0)
    })
  })
}
