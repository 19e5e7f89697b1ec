import { choicesOf, type FieldKind, isNullable, kindOf } from './field-kinds.ts'
import { isToOne, type ModelDocument, type Schema } from './model.ts'

export type FilterOperator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'nin'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'icontains'
  | 'istartsWith'
  | 'iendsWith'
  | 'has'
  | 'null'

/** A condition of a list, as the address has it: `filter[price][gte]=8`. */
export interface FilterCondition {
  readonly path: string
  readonly operator: FilterOperator
  /** One, but for `in` and `nin`. */
  readonly values: readonly string[]
}

/** How operators read in a chip: `price ≥ 8`. */
export const OPERATOR_WORDS: Readonly<Record<FilterOperator, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  in: 'is one of',
  nin: 'is none of',
  icontains: 'contains',
  istartsWith: 'starts with',
  iendsWith: 'ends with',
  contains: 'contains (case counts)',
  startsWith: 'starts with (case counts)',
  endsWith: 'ends with (case counts)',
  has: 'has',
  null: 'is empty',
}

const COMPARING: readonly FilterOperator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin']
const OF_TEXTS: readonly FilterOperator[] = [
  ...['icontains', 'eq', 'ne', 'in', 'nin', 'istartsWith', 'iendsWith', 'contains', 'startsWith', 'endsWith'],
  ...['lt', 'lte', 'gt', 'gte'],
] as FilterOperator[]

/** The operators of a kind of values, the most usual one first. */
export function operatorsOf(kind: FieldKind, schema: Schema): readonly FilterOperator[] {
  const ofNull: readonly FilterOperator[] = isNullable(schema) ? ['null'] : []
  switch (kind) {
    case 'text':
    case 'long':
      return [...OF_TEXTS, ...ofNull]
    case 'enum':
      return ['eq', 'ne', 'in', 'nin', ...ofNull]
    case 'boolean':
      return ['eq', ...ofNull]
    case 'json':
      return [...(schema.items ? (['has'] as const) : []), ...ofNull]
    case 'bytes':
      return ofNull
    default:
      return [...COMPARING, ...ofNull]
  }
}

/** What a list can be filtered by. */
export interface FilterPath {
  readonly path: string
  readonly kind: FieldKind
  readonly schema: Schema
}

/** The fields of a resource, and those of the records that it is related to, up to so many relations away. */
export function filterPaths(model: ModelDocument, key: string, depth = 2, start = ''): FilterPath[] {
  const resource = model.resources[key]
  if (resource === undefined) return []
  const id = resource.id ? [{ path: `${start}id`, kind: kindOf(resource.id.schema), schema: resource.id.schema }] : []
  const own = Object.entries(resource.fields).flatMap(([name, { schema, writeOnly }]) =>
    writeOnly ? [] : [{ path: start + name, kind: kindOf(schema), schema }, ...insideOf(`${start}${name}`, schema)],
  )
  if (depth === 0) return [...own, ...id]
  const related = Object.entries(resource.relations).flatMap(([name, { target }]) =>
    filterPaths(model, target, depth - 1, `${start}${name}.`),
  )
  return [...own.filter(({ kind, schema }) => operatorsOf(kind, schema).length > 0), ...id, ...related]
}

/** Texts, numbers and booleans inside of a JSON field. */
function insideOf(path: string, { properties = {} }: Schema): FilterPath[] {
  return Object.entries(properties)
    .map(([name, schema]) => ({ path: `${path}.${name}`, kind: kindOf(schema), schema }))
    .filter(({ kind }) => kind !== 'json')
}

/** What a path of a filter means, however deep it leads. */
export function filterPathAt(model: ModelDocument, key: string, path: string): FilterPath | undefined {
  const [name = '', ...rest] = path.split('.')
  const resource = model.resources[key]
  const target = resource?.relations[name]?.target
  if (target !== undefined && rest.length > 0) {
    const found = filterPathAt(model, target, rest.join('.'))
    return found && { ...found, path }
  }
  return filterPaths(model, key, 0).find((one) => one.path === path)
}

const PARAMETER = /^filter\[([^\]]+)\](?:\[(\w+)\])?$/

/** The conditions of an address. `filter={…}` in JSON stays as it is: `jsonFilter` has it. */
export function conditionsIn(query: URLSearchParams): FilterCondition[] {
  const found = new Map<string, FilterCondition>()
  for (const [name, value] of query) {
    const [, path, operator = 'eq'] = PARAMETER.exec(name) ?? []
    if (path === undefined) continue
    const before = found.get(name)
    found.set(name, { path, operator: operator as FilterOperator, values: [...(before?.values ?? []), value] })
  }
  return [...found.values()]
}

export const parameterOf = ({ path, operator }: Pick<FilterCondition, 'path' | 'operator'>): string =>
  operator === 'eq' ? `filter[${path}]` : `filter[${path}][${operator}]`

/** The query with other conditions. */
export function withConditions(query: URLSearchParams, conditions: readonly FilterCondition[]): URLSearchParams {
  const others = [...query].filter(([name]) => !PARAMETER.test(name))
  const ours = conditions.flatMap((one) => one.values.map((value): [string, string] => [parameterOf(one), value]))
  return new URLSearchParams([...others, ...ours])
}

/** `publisher.name contains ink`. */
export function wordsOf({ path, operator, values }: FilterCondition): string {
  if (operator === 'null') return `${path} ${values[0] === 'false' ? 'has a value' : 'is empty'}`
  return `${path} ${OPERATOR_WORDS[operator] ?? operator} ${values.join(', ')}`
}

/** The columns that a list may show: fields, those of related records, and counts. */
export function columnNames(model: ModelDocument, key: string): string[] {
  const resource = model.resources[key]
  if (resource === undefined) return []
  const fields = Object.entries(resource.fields).filter(([, { writeOnly }]) => !writeOnly)
  const related = Object.entries(resource.relations).flatMap(([name, relation]) => {
    if (!isToOne(relation)) return [`count(${name})`]
    const target = model.resources[relation.target]
    return Object.entries(target?.fields ?? {}).flatMap(([field, { writeOnly }]) =>
      writeOnly ? [] : [`${name}.${field}`],
    )
  })
  return [...fields.map(([name]) => name), ...related]
}

/** Values that a form offers for a condition. */
export function valuesOf({ kind, schema }: FilterPath): readonly string[] | undefined {
  if (kind === 'boolean') return ['true', 'false']
  return choicesOf(schema)?.map(String)
}
