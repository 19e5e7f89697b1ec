import {
  allRelationsOf,
  FIELDS_OF_SOME,
  type IdKind,
  isToMany,
  type JsonSchema,
  type Resource,
} from '@fastify-crud/core/internal'
import type { RefTo } from '../components/component-id.ts'
import type { FieldSchemas } from './field-schema.ts'

/**
 * A record as a query may choose it with `fields`, `include` and `nested`: any of its properties and relations may be
 * there or not, but the id. Open, as the counts that a query may ask for are too many to list.
 */
export function partialSchema(resource: Resource, fields: FieldSchemas, refTo: RefTo): JsonSchema {
  const ofId = resource.hasId ? { id: eitherId(resource) } : {}
  const properties: Record<string, JsonSchema> = { ...ofId, partial: MARK }
  for (const { name } of [...resource.fields, ...resource.computed].filter(FIELDS_OF_SOME.sees)) {
    properties[name] = fields.get(name) ?? {}
  }
  for (const { foreignKey, nullable, target } of [...resource.movedBy, ...resource.references]) {
    properties[foreignKey] = nullable ? idOrNull(target.id) : target.id.schema
  }
  for (const relation of allRelationsOf(resource)) {
    const { name, target } = relation
    const one = refTo(target, 'partial')
    properties[name] = isToMany(relation) ? { type: 'array', items: one } : orNull(one)
    if (isToMany(relation)) properties[`count(${name})`] = COUNT
  }
  return { type: 'object', properties, required: Object.keys(ofId) }
}

/** A record below its owner has the short id, one at the end of another relation the whole one. */
function eitherId({ id, shortId }: Resource): JsonSchema {
  return id === shortId ? id.schema : { anyOf: [shortId.schema, id.schema] }
}

const MARK: JsonSchema = { type: 'boolean', enum: [true] }
const COUNT: JsonSchema = { type: 'integer' }

/** What a GET answers: the whole record, or what its query has made of it. */
export function recordOrPart(
  resource: Resource,
  refTo: RefTo,
  canBePartial: boolean,
  kind: 'record' | 'deletedRecord' = 'record',
): JsonSchema {
  const record = refTo(resource, kind)
  return canBePartial ? { anyOf: [record, refTo(resource, 'partial')] } : record
}

/** An id of the kind, or null. */
export function idOrNull({ schema }: IdKind): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] }
}

/** Either the schema or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** An object with these properties and no others. */
export function closedObject(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  // An empty `required` says nothing, and OpenAPI 3.0 refuses it.
  const names = required.length > 0 ? { required } : {}
  return { type: 'object', properties, ...names, additionalProperties: false }
}
