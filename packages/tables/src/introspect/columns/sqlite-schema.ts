import type { Stored } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'

/**
 * A declared type promises little, so the values decide how moments, dates and booleans are spelled.
 *
 * @param rows the column's values in some rows
 */
export function sqliteSchema({ type, default: given }: FoundColumn, rows: readonly unknown[]): JsonSchema | string {
  const values = rows.filter((value) => value !== null)
  const declared = type.toUpperCase()
  if (/BOOL/.test(declared) || (/^TINYINT\(1\)/.test(declared) && values.every(isBit))) return booleanSchema(values)
  if (/DATETIME|TIMESTAMP/.test(declared)) return momentSchema(values, given)
  if (/^DATE\b/.test(declared))
    return areAll(values, DATE) ? { type: 'string', format: 'date' } : momentSchema(values, given)
  if (/^TIME\b/.test(declared)) return { type: 'string', format: 'iso-time' }
  if (/JSON/.test(declared)) return {}
  if (/UUID|GUID|UNIQUEIDENTIFIER/.test(declared)) return { type: 'string', format: 'uuid' }
  if (/INT/.test(declared)) return { type: 'integer' }
  if (/CHAR|CLOB|TEXT/.test(declared)) return { type: 'string' }
  if (/BLOB|BINARY|BYTEA|IMAGE/.test(declared)) return { type: 'string', contentEncoding: 'base64' }
  if (/REAL|FLOA|DOUB|DEC|NUM|MONEY/.test(declared)) return { type: 'number' }
  return schemaOfValues(values, type)
}

const DATE = /^\d{4}-\d\d-\d\d$/
const T_WITHOUT_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** As MySQL has booleans, and what has been moved from there. */
function isBit(value: unknown): boolean {
  return value === 0 || value === 1
}

function booleanSchema(values: readonly unknown[]): JsonSchema {
  const isTf = values.length > 0 && areAll(values, /^[tf]$/)
  return { type: 'boolean', ...(isTf && { stored: 'tf' }) }
}

function momentSchema(values: readonly unknown[], given: string | undefined): JsonSchema {
  const stored = momentsStored(values, given)
  return { type: 'string', format: 'date-time', ...(stored !== undefined && { stored }) }
}

function momentsStored(values: readonly unknown[], given = ''): Stored | undefined {
  const [first] = values
  if (typeof first === 'number') return storedNumber(values)
  if (values.length === 0) return /strftime.*T/.test(given) ? undefined : 'space'
  if (areAll(values, RFC_3339)) return undefined
  return areAll(values, T_WITHOUT_OFFSET) ? 'T' : 'space'
}

/** Julian days of our time are around 2.5 million; seconds have ten digits, milliseconds thirteen. */
function storedNumber(values: readonly unknown[]): Stored {
  const largest = Math.max(...values.map((value) => Math.abs(Number(value))))
  if (largest < 1e7 && values.some((value) => !Number.isInteger(value))) return 'julian'
  return largest > 1e11 ? 'milliseconds' : 'seconds'
}

/** Of a column without a type, or of an unusual one. */
function schemaOfValues(values: readonly unknown[], type: string): JsonSchema | string {
  const kinds = new Set(values.map((value) => typeof value))
  if (kinds.size === 1 && kinds.has('string')) return { type: 'string' }
  if (kinds.size === 1 && kinds.has('number')) return { type: values.every(Number.isInteger) ? 'integer' : 'number' }
  const declared = type === '' ? 'it has no type' : `its type ${type} says nothing of its values`
  return values.length === 0
    ? `${declared}, and no row has a value`
    : `${declared}, and its values are of several kinds`
}

function areAll(values: readonly unknown[], pattern: RegExp): boolean {
  return values.every((value) => typeof value === 'string' && pattern.test(value))
}
