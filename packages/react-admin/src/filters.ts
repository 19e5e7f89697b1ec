import type { ServiceModel } from '@fastify-crud/client'
import { CONDITION_OPERATORS, condition, type FieldCondition } from '@fastify-crud/client/internal'

/** What the filters of a list ask. */
export interface ListFilter {
  readonly conditions: readonly FieldCondition[]
  /** The words of `<SearchInput source="q">` and of an `<AutocompleteInput>`. */
  readonly search: unknown
}

/**
 * The filters of a list as conditions of the service. A name may say an operator, as `price@gte`, and may be a path, as
 * `publisher.name`, which forms make an object of. An array means one of its values.
 * Throws an Error for an operator that there is not.
 */
export function filterOf(model: ServiceModel, key: string, filter: unknown): ListFilter {
  const { q, ...others } = Object(filter) as Readonly<Record<string, unknown>>
  const isField = model.resources[key]?.fields.q !== undefined
  const conditions = conditionsOf(model, key, isField && q !== undefined ? { ...others, q } : others, '')
  return { conditions, search: isField ? undefined : q }
}

const WORDS = ['and', 'or']
const QUANTORS = ['some', 'every', 'none']

function conditionsOf(model: ServiceModel, key: string, filter: object, prefix: string): FieldCondition[] {
  return Object.entries(filter).flatMap(([name, value]): FieldCondition[] => {
    if (isEmpty(value)) return []
    if (prefix === '' && WORDS.includes(name) && Array.isArray(value))
      return [{ [name]: value.map((one) => ({ and: conditionsOf(model, key, one, '') })) }]
    if (prefix === '' && name === 'not' && isObject(value))
      return [{ not: { and: conditionsOf(model, key, value, '') } }]
    const [path, operator] = splitName(prefix + name)
    if (!isObject(value) || operator !== undefined) return [fieldCondition(model, key, path, operator, value)]
    const names = Object.keys(value)
    if (names.every((one) => QUANTORS.includes(one))) return [{ [path]: value }]
    if (!names.every((one) => CONDITION_OPERATORS.includes(one))) return conditionsOf(model, key, value, `${path}.`)
    return Object.entries(value).map(([one, operand]) => fieldCondition(model, key, path, one, operand))
  })
}

function fieldCondition(
  model: ServiceModel,
  key: string,
  path: string,
  operator: string | undefined,
  value: unknown,
): FieldCondition {
  if (value === null && operator === undefined) return condition(model, key, path, 'null', true)
  return condition(model, key, path, operator ?? (Array.isArray(value) ? 'in' : 'eq'), value)
}

/** `price@gte` is `price` and `gte`. */
function splitName(name: string): [path: string, operator: string | undefined] {
  const at = name.lastIndexOf('@')
  return at === -1 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)]
}

/** An input that nobody has filled. Null is a value: `filter={{ parentId: null }}`. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
