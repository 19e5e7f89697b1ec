import { isObject } from '../is-object.ts'
import type { StorageKind } from './field-problems.ts'
import type { JsonSchema } from './schema-facts.ts'

/** How a field of this schema is stored, and whether the schema itself allows null; or why it cannot be stored. */
export type Storage = { readonly kind: StorageKind; readonly nullable: boolean } | { readonly problem: string }

/** What an `integer` of PostgreSQL holds. */
export const FIRST_INTEGER = -2_147_483_648
export const LAST_INTEGER = 2_147_483_647

/** The numbers that keep the order of an array. */
export const ORDER_NUMBER: JsonSchema = Object.freeze({
  type: 'integer',
  minimum: FIRST_INTEGER,
  maximum: LAST_INTEGER,
})

/**
 * Reads the storage kind off a JSON Schema: strings (`format: 'date'` and base64 apart), integers, numbers, booleans,
 * enums of one of these, and JSON for objects, arrays and everything without a type.
 */
export function storageOf(schema: JsonSchema): Storage {
  const kinds = new Set<StorageKind | 'null'>()
  const problem = collect(schema, kinds)
  if (problem !== undefined) return { problem }
  const nullable = kinds.delete('null')
  if (kinds.has('json')) return kinds.size === 1 ? { kind: 'json', nullable } : mixed(kinds)
  if (kinds.has('number')) kinds.delete('integer')
  if (kinds.has('string')) kinds.delete('date')
  const [kind, ...others] = kinds as Set<StorageKind>
  if (kind === undefined) return { problem: 'a field that can only be null cannot be stored' }
  return others.length === 0 ? { kind, nullable } : mixed(kinds)
}

function mixed(kinds: ReadonlySet<string>): Storage {
  return {
    problem: `a field is stored as one type, not as ${[...kinds].join(' or ')}; for any JSON value use Type.Any()`,
  }
}

function collect(schema: unknown, kinds: Set<StorageKind | 'null'>): string | undefined {
  if (!isObject(schema)) {
    // `true` allows everything, `false` nothing.
    if (schema !== false) kinds.add('json')
    return undefined
  }
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches) && schema.type === undefined) {
    for (const branch of branches) {
      const problem = collect(branch, kinds)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (Array.isArray(schema.enum) && schema.type === undefined) {
    for (const value of schema.enum) kinds.add(kindOfValue(value))
    return undefined
  }
  if ('const' in schema && schema.type === undefined) {
    kinds.add(kindOfValue(schema.const))
    return undefined
  }
  if (schema.nullable === true) kinds.add('null')
  for (const type of [schema.type].flat()) {
    switch (type) {
      case 'string':
        kinds.add(schema.contentEncoding === 'base64' ? 'bytes' : schema.format === 'date' ? 'date' : 'string')
        break
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        kinds.add(type)
        break
      case 'object':
      case 'array':
      case undefined:
        kinds.add('json')
        break
      default:
        return `the type '${String(type)}' is not JSON and cannot be stored`
    }
  }
  return undefined
}

function kindOfValue(value: unknown): StorageKind | 'null' {
  if (value === null) return 'null'
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return 'json'
}
