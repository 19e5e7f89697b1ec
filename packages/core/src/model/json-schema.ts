/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * What declares a field: a JSON Schema, made by TypeBox 0.34, by typebox 1, or by hand.
 *
 * No function, such as `String`, and no schema of another library: `~standard` is what these have in common.
 */
export type FieldSchema = object & { readonly '~standard'?: never; readonly call?: never }

/** Whether it is an object, as all schemas are but `true` and `false`. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By which TypeBox 0.34 marks a schema; its symbols are the same in every copy of the package. */
const OPTIONAL = Symbol.for('TypeBox.Optional')

/** Whether TypeBox's `Type.Optional(…)` made the schema. */
export function isOptional(schema: JsonSchema): boolean {
  return OPTIONAL in schema || schema['~optional'] === true
}
