import { looksLikeJsonSchema } from './foreign-schema.ts'
import { isObject } from './is-object.ts'

const KEYWORDS = ['type', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref']

/** Whether the value looks like the schema of a field, for hints to authors who have put it elsewhere. */
export function looksLikeField(value: unknown): boolean {
  return looksLikeJsonSchema(value) && KEYWORDS.some((keyword) => keyword in value)
}

/** Whether the value is the schema of a whole record, such as `Type.Object({ … })`. */
export function isWholeSchema(value: unknown): boolean {
  return isObject(value) && value.type === 'object' && isObject(value.properties)
}
