/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * What declares a field: a JSON Schema, made by TypeBox 0.34, by typebox 1, by `z.toJSONSchema(…)` of zod 4, or by hand.
 *
 * The type excludes functions, such as `String`, relations, and the schemas of other libraries, which all have `~standard`. Zod marks the JSON
 * Schema that it makes with it, too, but that has no `_zod`.
 */
export type FieldSchema = (object & NoOther) | (JsonSchema & NoOther)

interface NoOther {
  readonly '~standard'?: { readonly jsonSchema: object }
  readonly call?: never
  readonly relation?: never
  readonly _zod?: never
}

export type Fields = Readonly<Record<string, FieldSchema>>

/** TypeBox 0.34 marks optional schemas with this symbol. All copies of the package share it. */
const OPTIONAL = Symbol.for('TypeBox.Optional')

/** Whether TypeBox's `Type.Optional(…)` made the schema. */
export function isOptional(schema: JsonSchema): boolean {
  return OPTIONAL in schema || schema['~optional'] === true
}
