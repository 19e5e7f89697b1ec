import { type FieldKind, isNumeric, kindOf } from '../model/field-kinds.ts'
import { parameterOf } from '../model/filters.ts'
import { isReference, isToOne, type ModelDocument, type Row } from '../model/model.ts'
import { nameOfReference } from '../model/names.ts'

/** What records have in common, and what is computed over each group: names as the service takes them. */
export interface GroupQuery {
  readonly by: string
  readonly value: string
}

const OF_TIME = ['month', 'year', 'quarter', 'week', 'day']
const KEYS: readonly FieldKind[] = ['enum', 'boolean', 'text', 'integer', 'date', 'date-time', 'decimal', 'number']

/** What a list can be grouped by, what groups best first: choices, related records, time, then all else. */
export function keysOf(model: ModelDocument, key: string): readonly string[] {
  const resource = model.resources[key]
  if (resource === undefined) return []
  const fields = Object.entries(resource.fields)
    .filter(([, { writeOnly }]) => !writeOnly)
    .map(([name, { schema }]) => ({ name, kind: kindOf(schema) }))
    .filter(({ kind }) => KEYS.includes(kind))
  const isOfTime = ({ kind }: { readonly kind: FieldKind }) => kind === 'date' || kind === 'date-time'
  const isChoice = ({ kind }: { readonly kind: FieldKind }) => kind === 'enum' || kind === 'boolean'
  const references = Object.entries(resource.relations)
    .filter(([, relation]) => isToOne(relation) && (isReference(relation) || relation.kind === 'ownedBy'))
    .map(([name, { target }]) => nameOfReference(model, name, target))
  return [
    ...fields.filter(isChoice).map(({ name }) => name),
    ...references,
    ...fields.filter(isOfTime).flatMap(({ name }) => OF_TIME.map((part) => `${part}(${name})`)),
    ...fields.filter((field) => !isChoice(field) && !isOfTime(field)).map(({ name }) => name),
  ]
}

export function valuesOf(model: ModelDocument, key: string): readonly string[] {
  const numbers = Object.entries(model.resources[key]?.fields ?? {}).filter(
    ([, { schema, writeOnly }]) => !writeOnly && isNumeric(kindOf(schema)),
  )
  return ['count()', ...numbers.flatMap(([name]) => ['sum', 'avg', 'min', 'max'].map((of) => `${of}(${name})`))]
}

export const isOfTime = (by: string): boolean => by.endsWith(')')

/** What the address asks for, or what the resource is grouped by best. */
export function groupIn(model: ModelDocument, key: string, query: URLSearchParams): GroupQuery {
  return { by: query.get('by') ?? keysOf(model, key)[0] ?? 'id', value: query.get('values') ?? 'count()' }
}

/** The request for the groups: time in its order, all else with the largest first. */
export function groupRequest(query: URLSearchParams, { by, value }: GroupQuery, limit: number): string {
  const request = new URLSearchParams(query)
  request.set('by', by)
  request.set('values', value)
  request.set('sort', isOfTime(by) ? by : `-${value},${by}`)
  request.set('limit', String(limit))
  return request.toString()
}

/** The list of the records of a group; undefined: no filter says it. */
export function queryOfGroup(query: URLSearchParams, by: string, row: Row): string | undefined {
  if (isOfTime(by)) return undefined
  const request = new URLSearchParams(query)
  request.delete('by')
  request.delete('values')
  const value = row[by]
  const operator = value === null ? 'null' : 'eq'
  request.set(parameterOf({ path: by, operator }), value === null ? 'true' : String(value))
  return request.toString()
}

/** How long the bar of a value is, of 100. */
export function barOf(value: unknown, values: readonly unknown[]): number {
  const most = Math.max(...values.map(Number).filter(Number.isFinite), 0)
  const own = Number(value)
  return most > 0 && own > 0 ? (own / most) * 100 : 0
}

/** A number for people: averages have up to sixteen decimals. */
export function numberText(value: unknown): string {
  if (value === null || value === undefined) return '—'
  return /\.\d{5}/.test(String(value)) ? Number(value).toFixed(4) : String(value)
}

/** When a period of time begins: `2026`, `2026-Q4`, `2026-11`, `2026-W48`, `2026-11-28`. */
export function momentOf(period: unknown): number | undefined {
  const [, year, kind = '', first = '1', day = '1'] =
    /^(\d{4})(?:-([QW]?)(\d{1,2})(?:-(\d\d))?)?$/.exec(String(period)) ?? []
  if (year === undefined) return undefined
  const number = Number(first)
  // The first week of a year is that of the 4th of January.
  if (kind === 'W') return Date.UTC(Number(year), 0, 4 + (number - 1) * 7)
  return Date.UTC(Number(year), kind === 'Q' ? (number - 1) * 3 : number - 1, Number(day))
}
