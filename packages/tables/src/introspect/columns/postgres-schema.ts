import { digitsOf, type JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { isLocalNow, isUtc } from '../../check/columns/check-default-moments.ts'
import { fractionDigits, lengthOf, PRINTED_AS_TEXTS, TEXTS } from '../../check/columns/postgres-texts.ts'

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

export function postgresSchema(
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
 * A `timestamp(3)` rounds what has more digits, so a pattern says how many there are. Of fewer than JavaScript prints, a warning of `checkTables`
 * is better than a 400 for each body.
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

export function oneOfTexts(values: readonly string[]): JsonSchema {
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
