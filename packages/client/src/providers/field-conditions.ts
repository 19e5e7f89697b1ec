import { type ResourceModel, resourceNamed, type ServiceModel } from '../service-model.ts'
import { linksOfIds } from './link-ids.ts'

/** The operators of the service's filters. */
export const CONDITION_OPERATORS: readonly string[] = [
  ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'has', 'null'],
  ...['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith', 'iendsWith'],
]

/** A condition of the service's filters. */
export type FieldCondition = Readonly<Record<string, unknown>>

/**
 * A condition on what a path leads to: a field, an id, a value of a related record, or the ids of links (`authorsIds`).
 * Texts become numbers and booleans where the path leads to such: the addresses of pages, which keep filters, have only
 * texts. Throws an Error for an operator that there is not.
 */
export function condition(
  model: ServiceModel,
  key: string,
  path: string,
  operator: string,
  value: unknown,
): FieldCondition {
  if (!CONDITION_OPERATORS.includes(operator))
    throw new Error(`there is no operator '${operator}': ${CONDITION_OPERATORS.join(', ')}`)
  const { steps, schema } = end(model, resourceNamed(model, key), path.split('.'))
  const types = operator === 'null' ? ['boolean'] : typesOf(schema)
  const one = (text: unknown) => parse(text, types)
  return { [steps.join('.')]: { [operator]: Array.isArray(value) ? value.map(one) : one(value) } }
}

function parse(value: unknown, types: readonly unknown[]): unknown {
  if (typeof value !== 'string' || types.includes('string')) return value
  const isNumber = types.includes('integer') || types.includes('number')
  if (isNumber && value.trim() !== '' && !Number.isNaN(Number(value))) return Number(value)
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

interface PathEnd {
  readonly steps: readonly string[]
  /** Undefined: it is not known. */
  readonly schema: unknown
}

/** What a path leads to. */
function end(model: ServiceModel, resource: ResourceModel, [name = '', ...rest]: readonly string[]): PathEnd {
  const { fields, relations, id } = resource
  const relation = Object.hasOwn(relations, name) ? relations[name] : undefined
  if (relation !== undefined && rest.length > 0) {
    const { steps, schema } = end(model, resourceNamed(model, relation.target), rest)
    return { steps: [name, ...steps], schema }
  }
  if (Object.hasOwn(fields, name)) return { steps: [name, ...rest], schema: within(fields[name]?.schema, rest) }
  const links = linksOfIds(resource, name)
  if (links !== undefined) return end(model, resource, [links.name, 'id'])
  if (name === 'id') return { steps: [name, ...rest], schema: id?.schema }
  const reference = Object.values(relations).find(({ foreignKey }) => foreignKey === name)
  const target = reference && model.resources[reference.target]
  return { steps: [name, ...rest], schema: target?.id?.schema }
}

/** The schema of a property of a JSON value. */
function within(schema: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return schema
  return within((schema as Schema | undefined)?.properties?.[name], rest)
}

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
  readonly anyOf?: readonly unknown[]
  readonly enum?: readonly unknown[]
}

function typesOf(schema: unknown): unknown[] {
  const { type, items, anyOf, enum: values } = (schema ?? {}) as Schema
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  if (type === undefined) return values === undefined ? ['string'] : values.map((value) => typeof value)
  // The elements of an array are what `has` asks for.
  return [type].flat().flatMap((one) => (one === 'array' ? typesOf(items) : [one]))
}
