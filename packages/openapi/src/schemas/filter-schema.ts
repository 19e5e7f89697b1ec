import {
  DEFAULT_LIMITS,
  DURATION,
  elementTypeOf,
  FIELDS_OF_SOME,
  idKindBeside,
  isBytes,
  isToMany,
  type JsonSchema,
  MOST_VALUES,
  OPERATORS,
  type Operand,
  type Operator,
  operatorsOf,
  type Resource,
  readPath,
  relationsOf,
  type ScalarType,
  type Scope,
} from '@fastify-crud/core/internal'
import type { ComponentKind, RefTo } from '../components/component-id.ts'
import type { Components } from '../components/openapi-document.ts'
import { closedObject } from './partial-schema.ts'

/** A value of a resource's own records that filters name: the id, a field or a foreign key. */
export interface Compared {
  readonly name: string
  /** Says what it is compared with: `string`, `integer`, … */
  readonly type: string
  /** In a filter that is JSON: a value, or operators. */
  readonly schema: JsonSchema
  /** The value that an operator takes; undefined for JSON and bytes, which have no single one. */
  readonly value: JsonSchema | undefined
  readonly operators: readonly Operator[]
}

/** The values that a filter of a resource names without a path. All values of a type share one schema. */
export function comparedIn(resource: Resource, shared: Components<JsonSchema>, isOfDeleted: boolean): Compared[] {
  const { members, computed, isTopLevel, ownedBy, movedBy } = resource
  const besides = isOfDeleted ? resource.softDelete : undefined
  const values = [...(isTopLevel ? ownedBy : movedBy), ...members, ...computed, ...(besides ? [besides] : [])]
  const names = ['id', ...values.map(({ property }) => property)]
  return names.flatMap((name) => {
    const end = readPath(resource, name, { ...DESCRIBED, shows: () => besides })
    if (typeof end === 'string' || end.operand === undefined) return []
    const { operand } = end
    const type = typeName(operand)
    const comparedAs = operand.type ?? elementTypeOf(operand)
    const value = comparedAs === undefined ? undefined : valueSchema(comparedAs, operand)
    const operators = operatorsOf(operand)
    const schema = { ...shared.ref(`filter.${type}`, () => comparedSchema(value, operators, isBytes(operand))) }
    return [{ name, type, schema, value, operators }]
  })
}

/** Ids of a kind that is named like a type compare like values of that type. */
function typeName(operand: Operand): string {
  const elements = elementTypeOf(operand)
  if (elements !== undefined) return `${elements}s`
  return idKindBeside(operand)?.name ?? operand.type ?? (isBytes(operand) ? 'bytes' : 'json')
}

/** A value, which is the same as its `eq`, or what is to hold of each operator. */
function comparedSchema(value: JsonSchema | undefined, operators: readonly Operator[], ofBytes: boolean): JsonSchema {
  const ofOperators = operators.map((name) => [name, operatorSchema(name, value)] as const)
  const schema = { ...closedObject(Object.fromEntries(ofOperators), []), minProperties: 1 }
  if (value === undefined) return { description: ofBytes ? ABOUT_BYTES : ABOUT_JSON, ...schema }
  return operators.includes('eq') ? { anyOf: [value, schema] } : { description: ABOUT_LISTS, ...schema }
}

const ABOUT_LISTS = 'Whether it has an element, or no value.'
const ABOUT_BYTES = 'Whether there is no value.'
const ABOUT_JSON = `${ABOUT_BYTES} Paths lead to the values inside.`

/** What an operator takes. */
export function operatorSchema(name: Operator, value: JsonSchema | undefined): JsonSchema {
  if (value === undefined || name === 'null') return { type: 'boolean' }
  return OPERATORS[name].comparator === 'in' ? { type: 'array', items: value, maxItems: MOST_VALUES } : value
}

/** No bounds of the field: a filter may compare with what no record can have. */
function valueSchema(type: ScalarType, operand: Operand): JsonSchema {
  switch (type) {
    case 'id':
      return { ...idKindBeside(operand)?.schema }
    case 'decimal':
    case 'date-time':
    case 'date':
    case 'date-time-range':
    case 'date-range':
      return { type: 'string', format: type }
    case 'duration':
      return { type: 'string', pattern: DURATION.source }
    default:
      return { type }
  }
}

/** A filter in its JSON form. Names with a dot are paths through relations or into JSON fields: there are too many to
 * list them. */
export function filterSchema(
  resource: Resource,
  compared: readonly Compared[],
  refTo: RefTo,
  kind: ComponentKind,
): JsonSchema {
  const self = refTo(resource, kind)
  const several: JsonSchema = { type: 'array', items: self }
  const properties: Record<string, JsonSchema> = { and: several, or: several, not: self }
  for (const { name, schema } of compared) properties[name] = schema
  for (const relation of relationsOf(resource, DESCRIBED)) {
    if (isToMany(relation)) properties[relation.name] = refTo(relation.target, 'relatedFilter')
  }
  return { ...closedObject(properties, []), patternProperties: { '\\.': {} } }
}

/** What is there for some callers, or in some databases, is described for all. */
export const DESCRIBED: Scope = {
  hidden: new Set(),
  fieldRights: FIELDS_OF_SOME,
  ids: 'short',
  limits: { ...DEFAULT_LIMITS, count: 'exact' },
  hasFunctions: true,
  costs: [],
  findsParts: false,
}

/** Conditions on the records of a relation to several. */
export function relatedFilterSchema(resource: Resource, refTo: RefTo): JsonSchema {
  const filter = refTo(resource, 'filter')
  return { ...closedObject({ some: filter, every: filter, none: filter }, []), minProperties: 1 }
}
