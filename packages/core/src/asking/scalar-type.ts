import { isObject } from '../model/is-object.ts'
import { isForeignKey, type SingleValue } from '../model/model.ts'
import type { DescribedValue } from '../model/values/field-problems.ts'
import type { RANGE_FORMATS } from '../model/values/schema-facts.ts'
import { COMPARED_FORMATS, onlyBranch, textFormat } from '../model/values/schema-facts.ts'
import { storageOf } from '../model/values/storage.ts'

/** How values are compared and sorted. */
export type ScalarType =
  | 'id'
  | 'string'
  | 'decimal'
  | 'date-time'
  | 'date'
  | 'duration'
  | (typeof RANGE_FORMATS)[number]
  | 'integer'
  | 'number'
  | 'boolean'

/** The types of values inside of JSON. */
export type ElementType = 'string' | 'integer' | 'number' | 'boolean'

/** The type of a field's values, computed or not, or of the ids in a foreign key; undefined for JSON and bytes, which
 * are compared with null alone. */
export function scalarTypeOf(member: SingleValue): ScalarType | undefined {
  if (isForeignKey(member)) return 'id'
  const { storage, schema } = member
  if (storage === 'json' || storage === 'bytes') return undefined
  if (storage !== 'string') return storage
  const format = textFormat(schema)
  return COMPARED_FORMATS.find((type) => type === format) ?? 'string'
}

/** Whether its texts may be in a column of a type that compares them in its own way: addresses, times, or constants of
 * an enumeration. */
export function hasTextsOfType({ storage, schema }: DescribedValue): boolean {
  if (storage !== 'string') return false
  const isOneOf = ['anyOf', 'oneOf', 'enum', 'const'].some((keyword) => keyword in (onlyBranch(schema) ?? schema))
  return isOneOf || FORMATS_OF_TYPES.includes(String(textFormat(schema)))
}

const FORMATS_OF_TYPES: readonly string[] = ['ipv4', 'ipv6', 'time', 'iso-time']

/** The type of a value inside of a JSON field; undefined where the field's schema declares no scalar there. */
export function scalarTypeInJson(schema: unknown, keys: readonly string[]): ScalarType | undefined {
  const [key, ...others] = keys
  if (!isObject(schema)) return undefined
  if (key !== undefined) {
    const { properties } = schema
    return isObject(properties) && Object.hasOwn(properties, key)
      ? scalarTypeInJson(properties[key], others)
      : undefined
  }
  const declares = ['type', 'enum', 'const', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)
  const storage = declares ? storageOf(schema) : undefined
  if (storage === undefined || 'problem' in storage || storage.kind === 'json') return undefined
  // What a program has written there past the service may be any text, so texts are texts, whatever their format says.
  return storage.kind === 'date' || storage.kind === 'bytes' ? 'string' : storage.kind
}
