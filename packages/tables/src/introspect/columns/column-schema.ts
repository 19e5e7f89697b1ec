import type { Stored } from '@fastify-crud/core'
import { digitsOf, type JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { isLocalNow, isUtc } from '../../check/columns/check-columns.ts'
import { fractionDigits, lengthOf, PRINTED_AS_TEXTS, TEXTS } from '../../check/columns/postgres-misfit.ts'
import { columnWithSameLetters } from '../draft/names.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'

/** The schema of a column's values; a text: why no field can have them. */
export function columnSchema(catalog: Catalog, table: CatalogTable, column: FoundColumn): JsonSchema | string {
  const alike = columnWithSameLetters(table, column.name)
  if (alike !== undefined) return alike
  const described = table.described.get(column.name)
  const schema =
    catalog.database === 'postgres'
      ? postgresSchema(column, described?.values, catalog.timeZone)
      : ofSqlite(table, column)
  if (typeof schema === 'string') return schema
  const narrow = described?.checked === undefined ? schema : (oneOfChecked(column, schema, described.checked) ?? schema)
  return described?.comment === undefined ? narrow : { ...narrow, description: described.comment }
}

/** The texts that a CHECK allows, where these are all that the column can have: to a collation, others may be equal. */
function oneOfChecked(column: FoundColumn, schema: JsonSchema, texts: readonly string[]): JsonSchema | undefined {
  const { type, format, contentEncoding, maxLength } = schema
  const isText = type === 'string' && format === undefined && contentEncoding === undefined
  if (!isText || !column.isExact || column.type === 'citext' || column.type === 'name') return undefined
  // With blanks behind it, a text is equal to one without.
  if (column.type === 'bpchar' && texts.some((text) => [...text].length !== maxLength)) return undefined
  return oneOfTexts([...new Set(texts)])
}

/** What a view computes has no type, and other rows may have fractions. */
function ofSqlite({ kind, samples }: CatalogTable, column: FoundColumn): JsonSchema | string {
  const schema = sqliteSchema(
    column,
    samples.map((row) => row[column.name]),
  )
  const isComputed = kind === 'view' && column.type === '' && typeof schema !== 'string'
  return isComputed && schema.type === 'integer' ? { type: 'number' } : schema
}

/**
 * A declared type promises little, so the values decide how moments, dates and booleans are spelled.
 *
 * @param rows the column's values in some rows
 */
function sqliteSchema({ type, default: given }: FoundColumn, rows: readonly unknown[]): JsonSchema | string {
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

const STRING: JsonSchema = { type: 'string' }

/** By the names of the catalog. */
const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  int2: { type: 'integer' },
  int4: { type: 'integer' },
  int8: { type: 'integer' },
  float4: { type: 'number' },
  float8: { type: 'number' },
  bool: { type: 'boolean' },
  json: {},
  jsonb: {},
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'iso-time' },
  timetz: { type: 'string', format: 'time' },
  timestamp: { type: 'string', format: 'date-time' },
  timestamptz: { type: 'string', format: 'date-time' },
  interval: { type: 'string', format: 'duration' },
  money: { type: 'string', format: 'decimal' },
  tstzrange: { type: 'string', format: 'date-time-range' },
  tsrange: { type: 'string', format: 'date-time-range' },
  daterange: { type: 'string', format: 'date-range' },
  bytea: { type: 'string', contentEncoding: 'base64' },
}

function postgresSchema(
  column: FoundColumn,
  values: readonly string[] | undefined,
  timeZone: string | undefined,
): JsonSchema | string {
  const { type, modifier, definition } = column
  if (isArray(column)) return arraySchema({ ...column, type: type.slice(1) }, values)
  if (column.isEnum && values !== undefined) return oneOfTexts(values)
  if (type === 'varchar' || type === 'bpchar') return textSchema(modifier)
  if (TEXTS.includes(type) || PRINTED_AS_TEXTS.includes(type)) return STRING
  if (type === 'numeric') return decimalSchema(modifier)
  const schema = SCHEMAS[type] ?? `no field can have values of the type ${definition}`
  if (typeof schema === 'string') return schema
  const isLocal = type === 'timestamp' && timeZone !== undefined && !isUtc(timeZone) && isLocalNow(column)
  return { ...schema, ...patternOfTime(type, modifier), ...(isLocal && { stored: { zone: timeZone } }) }
}

/** JavaScript prints three digits behind the second. */
const DIGITS_OF_JAVASCRIPT = 3

/**
 * A `timestamp(3)` rounds what has more digits, so a pattern says how many there are. Of fewer than JavaScript prints,
 * a warning of `checkTables` is better than a 400 for each body.
 */
function patternOfTime(type: string, modifier: number): JsonSchema {
  const digits = fractionDigits(type, modifier)
  if (digits === undefined || digits < DIGITS_OF_JAVASCRIPT) return {}
  return { pattern: `^[^.]+(\\.\\d{1,${digits}}(\\D.*)?)?$` }
}

/** A domain does not print what it is made of. The catalog calls arrays of `mood` `_mood`. */
function isArray({ type, definition }: FoundColumn): boolean {
  return definition.endsWith('[]') || (type.startsWith('_') && definition !== type)
}

function oneOfTexts(values: readonly string[]): JsonSchema {
  const [first, another] = values
  return another === undefined ? { const: first } : { anyOf: values.map((value) => ({ const: value })) }
}

/** The elements of any array may be null. */
function arraySchema(element: FoundColumn, values: readonly string[] | undefined): JsonSchema | string {
  const items =
    element.isEnum && values !== undefined
      ? oneOfTexts(values)
      : postgresSchema({ ...element, definition: element.type, isEnum: false }, undefined, undefined)
  if (typeof items === 'string') return `no field can have values of the type ${element.definition}`
  return { type: 'array', items: { anyOf: [items, { type: 'null' }] } }
}

function textSchema(modifier: number): JsonSchema {
  const length = lengthOf(modifier)
  return length === undefined ? STRING : { ...STRING, maxLength: length }
}

/** A `numeric(p, s)` rounds what has more digits, so a pattern says how many there are. */
function decimalSchema(modifier: number): JsonSchema {
  const decimal = { type: 'string', format: 'decimal' }
  if (modifier < 0) return decimal
  const { before, behind } = digitsOf(modifier)
  const fraction = behind === 0 ? '' : `(\\.\\d{1,${behind}})?`
  return { ...decimal, pattern: `^-?${before === 0 ? '0' : `\\d{1,${before}}`}${fraction}$` }
}
