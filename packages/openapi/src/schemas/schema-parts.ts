import type { IdKind, JsonSchema } from '@fastify-crud/core/internal'

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
