import type { ServiceModel } from '@fastify-crud/client'
import { condition, type FieldCondition } from '@fastify-crud/client/internal'
import type { CrudFilter, LogicalFilter } from '@refinedev/core'

/** What the filters of a list ask. */
export interface RefineFilter {
  readonly conditions: readonly FieldCondition[]
  /** The value of a filter of `q`. */
  readonly search: unknown
}

/** The operators of Refine that have one of the service. Those that begin with `n` are negations. */
const SAME: Readonly<Record<string, string>> = {
  eq: 'eq',
  eqs: 'eq',
  ne: 'ne',
  nes: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  in: 'in',
  nin: 'nin',
  contains: 'icontains',
  containss: 'contains',
  startswith: 'istartsWith',
  startswiths: 'startsWith',
  endswith: 'iendsWith',
  endswiths: 'endsWith',
}

/** The filters of a list as conditions of the service. Throws an Error for an operator that there is not. */
export function refineFilterOf(model: ServiceModel, key: string, filters: readonly CrudFilter[] = []): RefineFilter {
  const isSearch = (filter: CrudFilter) => 'field' in filter && filter.field === 'q' && !hasField(model, key, 'q')
  const search = filters.find(isSearch)?.value
  const others = filters.filter((filter) => !isSearch(filter))
  return { conditions: others.flatMap((filter) => conditionsOf(model, key, filter)), search }
}

/** None for a filter that is not set. */
function conditionsOf(model: ServiceModel, key: string, filter: CrudFilter): FieldCondition[] {
  if (!('field' in filter)) {
    const inner = filter.value.flatMap((one) => {
      const all = conditionsOf(model, key, one)
      return all.length > 1 ? [{ and: all }] : all
    })
    return inner.length === 0 ? [] : [{ [filter.operator]: inner }]
  }
  return logicalConditions(model, key, filter)
}

function logicalConditions(model: ServiceModel, key: string, filter: LogicalFilter): FieldCondition[] {
  const { field, operator, value } = filter
  const made = (name: string, operand: unknown = value) => condition(model, key, field, name, operand)
  if (operator === 'null' || operator === 'nnull') return [made('null', operator === 'null')]
  const isPositive = ['eq', 'eqs', 'ne', 'nes'].includes(operator)
  if (value === null && isPositive) return [made('null', operator.startsWith('eq'))]
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) return []
  const same = SAME[operator]
  if (same !== undefined) return [made(same)]
  switch (operator) {
    case 'between':
      return between(made, value)
    case 'ina':
      return all(model, key, filter, made)
    default: {
      const positive = operator.slice(1)
      const isKnown = positive in SAME || positive === 'between' || positive === 'ina'
      if (!operator.startsWith('n') || !isKnown) throw new Error(`Refine has no operator '${operator}'`)
      const inner = logicalConditions(model, key, { field, operator: positive as LogicalFilter['operator'], value })
      return inner.length === 0 ? [] : [{ not: { and: inner } }]
    }
  }
}

type Made = (operator: string, operand: unknown) => FieldCondition

/** A range may be open at an end. */
function between(made: Made, [from, to]: readonly unknown[]): FieldCondition[] {
  const isSet = (bound: unknown) => bound !== undefined && bound !== null && bound !== ''
  return [...(isSet(from) ? [made('gte', from)] : []), ...(isSet(to) ? [made('lte', to)] : [])]
}

/** All of these elements: of an array of values, or of records that are known by their ids. */
function all(model: ServiceModel, key: string, { field, value }: LogicalFilter, made: Made): FieldCondition[] {
  const operator = hasField(model, key, field) ? 'has' : 'eq'
  return [value].flat().map((element: unknown) => made(operator, element))
}

function hasField(model: ServiceModel, key: string, name: string): boolean {
  return Object.hasOwn(model.resources[key]?.fields ?? {}, name)
}
