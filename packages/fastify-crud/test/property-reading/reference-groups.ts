import type { Json, JsonObject } from '../property/json.ts'
import { compareDecimals, compareValues, placesOf, scaled, textOf } from './compare-values.ts'
import { sumOfValues } from './sum-of-values.ts'
import type { ValueType } from './value-types.ts'

/** What groups are asked for. */
export interface GroupsAsked {
  readonly by: readonly string[]
  readonly values: readonly string[]
  readonly timeZone: string
  readonly sort: readonly string[]
}

/** The type of the value at the end of a path. */
export type TypeOf = (path: string) => ValueType

/** Groups of records, evaluated in memory: in the order of the sort keys, and then of all keys. */
export function groupsOf(records: readonly JsonObject[], asked: GroupsAsked, typeOf: TypeOf): JsonObject[] {
  const { by, values, timeZone } = asked
  const groups = new Map<string, JsonObject[]>()
  if (by.length === 0) groups.set('all', [])
  for (const record of records) {
    const key = by.length === 0 ? 'all' : JSON.stringify(by.map((name) => keyOf(record, name, typeOf, timeZone)))
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  const rows = [...groups.values()].map((group) =>
    Object.fromEntries([
      ...by.map((name) => [name, shownKey(group, name, typeOf, timeZone)]),
      ...values.map((name) => [name, computedOf(group, name, typeOf)]),
    ]),
  )
  return rows.sort((one, other) => compareRows(one, other, asked, typeOf))
}

/** The text that a path, or a function of one, names: `month(createdAt)` is the month of `createdAt`. */
export function callOf(name: string): { readonly word: string | undefined; readonly path: string } {
  const [, word, path = name] = /^(\w+)\((.*)\)$/.exec(name) ?? []
  return { word, path }
}

/** The type of a key or a value of groups. */
export function typeOfName(name: string, typeOf: TypeOf): ValueType {
  const { word, path } = callOf(name)
  switch (word) {
    case undefined:
    case 'min':
    case 'max':
      return typeOf(path)
    case 'count':
    case 'countDistinct':
      return 'integer'
    case 'sum':
    case 'avg':
      return typeOf(path) === 'number' ? 'number' : 'decimal'
    default:
      return 'string'
  }
}

export function at(record: JsonObject, path: string): Json {
  return path.split('.').reduce<Json>((value, name) => {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value[name] ?? null) : null
  }, record)
}

function keyOf(record: JsonObject, name: string, typeOf: TypeOf, timeZone: string): Json {
  const { word, path } = callOf(name)
  const value = at(record, path)
  if (value === null) return null
  if (word !== undefined) return partOf(word, textOf(value), timeZone)
  const type = typeOf(path)
  if (type === 'date-time') return Date.parse(textOf(value))
  return type === 'decimal' ? plainDecimal(textOf(value)) : value
}

const LENGTHS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10 }

function partOf(word: string, text: string, timeZone: string): string {
  const date = text.includes('T') ? new Date(text).toLocaleDateString('sv-SE', { timeZone }).padStart(10, '0') : text
  if (word === 'quarter') return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`
  return word === 'week' ? weekOf(date) : date.slice(0, LENGTHS[word])
}

/** ISO 8601: the first week has the fourth of January. */
function weekOf(date: string): string {
  const day = Date.parse(date) / 86_400_000
  // The first of January 1970 was a Thursday.
  const monday = (of: number) => of - ((((of + 3) % 7) + 7) % 7)
  const year = new Date((monday(day) + 3) * 86_400_000).toISOString().slice(0, 4)
  const week = (monday(day) - monday(Date.parse(`${year}-01-04`) / 86_400_000)) / 7 + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** Of equal values, the one with the smallest spelling. */
function shownKey(group: readonly JsonObject[], name: string, typeOf: TypeOf, timeZone: string): Json {
  const { word, path } = callOf(name)
  if (word !== undefined) return keyOf(group[0] as JsonObject, name, typeOf, timeZone)
  const type = typeOf(path)
  const values = group.map((record) => at(record, path))
  if (type !== 'decimal' && type !== 'date-time') return values[0] ?? null
  return values.map(String).sort()[0] === 'null' ? null : (values.map(String).sort()[0] ?? null)
}

function computedOf(group: readonly JsonObject[], name: string, typeOf: TypeOf): Json {
  if (name === 'count()') return group.length
  const { word, path } = callOf(name)
  const type = typeOf(path)
  const values = group.map((record) => at(record, path)).filter((value) => value !== null)
  switch (word) {
    case 'count':
      return values.length
    case 'countDistinct':
      return new Set(group.map((record) => keyOf(record, path, typeOf, 'UTC')).filter((key) => key !== null)).size
    case 'sum':
      if (values.length === 0) return null
      // As decimals, integers are added without loss.
      return type === 'integer' ? sumOfValues('decimal', values.map(String)) : sumOfValues(type, values)
    case 'avg':
      return values.length === 0 ? null : averageOf(type, values)
    default: {
      const sorted = values.toSorted(
        (one, other) => compareValues(type, one, other) || (String(one) < String(other) ? -1 : 1),
      )
      return (word === 'min' ? sorted[0] : sorted.at(-1)) ?? null
    }
  }
}

const DECIMALS = 16

function averageOf(type: ValueType, values: readonly Json[]): Json {
  if (type === 'number') return values.reduce((sum: number, value) => sum + Number(value), 0) / values.length
  const texts = values.map(String)
  const places = Math.max(0, ...texts.map(placesOf))
  const sum = texts.reduce((total, text) => total + scaled(text, places), 0n)
  const unit = BigInt(values.length) * 10n ** BigInt(places)
  const magnitude = (sum < 0n ? -sum : sum) * 10n ** BigInt(DECIMALS)
  const rounded = (2n * magnitude + unit) / (2n * unit)
  const digits = String(rounded).padStart(DECIMALS + 1, '0')
  const text = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
  return plainDecimal(sum < 0n && rounded > 0n ? `-${text}` : text)
}

/** Without the zeros at the end. */
export function plainDecimal(text: string): string {
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return plain === '-0' ? '0' : plain
}

function compareRows(one: JsonObject, other: JsonObject, { by, sort }: GroupsAsked, typeOf: TypeOf): number {
  const named = sort.map((key) => key.replace(/^-/, ''))
  for (const key of [...sort, ...by.filter((name) => !named.includes(name))]) {
    const name = key.replace(/^-/, '')
    const [left, right] = [one[name] ?? null, other[name] ?? null]
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1
      continue
    }
    const type = typeOfName(name, typeOf)
    const order = type === 'decimal' ? compareDecimals(textOf(left), textOf(right)) : compareValues(type, left, right)
    if (order !== 0) return key.startsWith('-') ? -order : order
  }
  return 0
}
