import { isObject } from '../is-object.ts'
import type { JsonSchema } from '../values/schema-facts.ts'

const EXPECTED = "a field is a JSON Schema, such as Type.String() of TypeBox or { type: 'string' }"

/** Whether something looks like JSON Schema. Does not read its keywords. */
export function looksLikeJsonSchema(schema: unknown): schema is JsonSchema {
  return isPlainObject(schema) && libraryOf(schema) === undefined
}

/** Says what a value is that does not look like JSON Schema, and what is expected instead. */
export function whyForeign(schema: unknown): string {
  const library = libraryOf(schema)
  if (library === undefined) return `${EXPECTED}, not ${described(schema)}`
  const hint = library === 'zod' ? '; z.toJSONSchema(…) of zod 4 makes one' : ''
  return `this looks like a schema of ${library}, which is not JSON Schema: ${EXPECTED}${hint}`
}

/** Whether it is an object without methods or a class, as JSON.parse returns. */
export function isPlainObject(value: unknown): value is JsonSchema {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm, such as a test runner's, has its own Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Names a value in an error message. */
export function described(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (isPlainObject(value)) return 'an object'
  if (typeof value === 'object' && value !== null) return `an object of the class ${value.constructor?.name}`
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`
  return typeof value === 'bigint' ? `the bigint ${value}` : String(value)
}

/** The name of the library that made the schema, if it is another kind of schema. */
function libraryOf(schema: unknown): string | undefined {
  if ((typeof schema !== 'object' || schema === null) && typeof schema !== 'function') return undefined
  // https://standardschema.dev: the name that zod, valibot, arktype and others give themselves. The JSON Schema that
  // zod makes has it, hidden.
  const isHidden = Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false
  const standard: unknown = isHidden ? undefined : Reflect.get(schema, '~standard')
  if (isObject(standard) && typeof standard.vendor === 'string') return standard.vendor
  return '_def' in schema || '_zod' in schema ? 'zod' : undefined
}
