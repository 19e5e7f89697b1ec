import {
  type DatabaseName,
  decimalDigits,
  dialects,
  fieldCheck,
  formIn,
  type JsonSchema,
  meaningOf,
  onlyBranch,
  type StorageKind,
  textFormat,
} from '@fastify-crud/core/internal'
import { type ColumnLayout, type FieldColumn, isIdColumn, typedAs } from './table-layout.ts'

/** The type of a column that `createTables` makes, as SQL. */
export function columnType(database: DatabaseName, column: ColumnLayout): string {
  const typed = typedAs(column)
  if (isIdColumn(typed)) return String(dialects[database].ids[typed.ids.stored].columns.type)
  return typed.type ?? fieldType(database, typed)
}

function fieldType(database: DatabaseName, { kind, schema, stored }: FieldColumn): string {
  if (stored === 'text') return 'text'
  const form = formIn(dialects[database].forms, stored)
  if (form !== undefined) return String(form.type)
  return database === 'postgres' && kind === 'string' ? plainType(schema) : FIELD_TYPES[database][kind]
}

const FIELD_TYPES: Readonly<Record<DatabaseName, Readonly<Record<StorageKind, string>>>> = {
  sqlite: {
    string: 'text',
    date: 'text',
    bytes: 'blob',
    integer: 'integer',
    number: 'real',
    boolean: 'boolean',
    json: 'text',
  },
  postgres: {
    string: 'text',
    date: 'date',
    bytes: 'bytea',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
    json: 'jsonb',
  },
}

/**
 * The type that PostgreSQL has for the texts of a format. Such a column keeps the values and not their spellings, so a
 * schema that would refuse what it prints has a text.
 */
function plainType(schema: JsonSchema): string {
  switch (textFormat(schema)) {
    case 'date-time':
      return isPrinted(schema, (fraction) => `2026-01-31T12:30:45${fraction}Z`) ? 'timestamptz' : 'text'
    case 'time':
      return isPrinted(schema, (fraction) => `12:30:45${fraction}Z`) ? 'timetz' : 'text'
    case 'iso-time':
      return isPrinted(schema, (fraction) => `12:30:45${fraction}`) ? 'time' : 'text'
    case 'uuid':
      return UUIDS.some(isOf(schema)) ? 'uuid' : 'text'
    case 'decimal':
      return decimalType(schema)
    default:
      return 'text'
  }
}

/** Digits behind the second, as PostgreSQL prints them: without zeros at the end. */
const FRACTIONS = ['', '.1', '.12', '.123', '.1234', '.12345', '.123456']

/** Whether a schema takes values with fewer digits behind the second wherever it takes some with more. */
function isPrinted(schema: JsonSchema, spell: (fraction: string) => string): boolean {
  const areTaken = FRACTIONS.map(spell).map(isOf(schema))
  const most = areTaken.indexOf(false)
  return most === -1 || (most > 0 && !areTaken.includes(true, most))
}

/** Of each version, in lower case. */
const UUIDS = ['1', '2', '3', '4', '5', '6', '7', '8'].map((version) => `0190163d-8694-${version}39b-aea5-966c26f8ad91`)

/** The test of a schema. Of one that says a format alone, no validator has to be made. */
function isOf(schema: JsonSchema): (text: string) => boolean {
  const { type, format, ...others } = meaningOf(onlyBranch(schema) ?? schema)
  if (Object.keys(others).length === 0) return () => true
  const check = fieldCheck(schema, 'string')
  return (text) => check(text).length === 0
}

/** With the digits that a pattern says. */
function decimalType(schema: JsonSchema): string {
  const digits = decimalDigits(schema)
  const precision = digits && digits.before + digits.behind
  return digits === undefined || precision === undefined || precision < 1 || precision > MOST_DIGITS
    ? 'numeric'
    : `numeric(${precision}, ${digits.behind})`
}

/** Of a `numeric` with a precision. */
const MOST_DIGITS = 1_000
