import type { TSchema } from '@sinclair/typebox'

/** How the values of a field are compared. */
export type ValueType =
  | 'string'
  | 'enum'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'date-time'
  | 'decimal'
  /** An id or a foreign key. */
  | 'id'
  /** Not compared as a whole. */
  | 'json'

/** The type of a field's schema. */
export function typeOf(schema: TSchema): ValueType {
  if (Array.isArray(schema.anyOf)) return 'enum'
  switch (schema.type) {
    case 'string':
      return schema.format === 'date' || schema.format === 'date-time' || schema.format === 'decimal'
        ? schema.format
        : 'string'
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type
    default:
      return 'json'
  }
}

/** The schema of a property that a JSON field's schema declares; undefined if it declares none of that name. */
export function propertyOf(schema: TSchema, name: string): TSchema | undefined {
  const { properties } = schema as { properties?: Record<string, TSchema> }
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}
