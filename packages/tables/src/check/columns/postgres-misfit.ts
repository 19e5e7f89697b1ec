import {
  decimalDigits,
  digitsOf,
  formIn,
  hasForm,
  itemsOf,
  type JsonSchema,
  longestText,
  onlyBranch,
  postgres,
  type StorageKind,
  storageOf,
  textFormat,
} from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { columnType } from '../../layout/column-type.ts'
import { type ColumnLayout, type FieldColumn, type IdColumn, isIdColumn } from '../../layout/table-layout.ts'

/** Why a column does not keep every value of its kind as it is. */
export interface Misfit {
  /** Whether it is the column's type or its default that does not fit. */
  readonly kind: 'type' | 'default'
  /** `error`: wrong for most values. `warning`: wrong for some that the model allows. */
  readonly severity: 'error' | 'warning'
  /** Goes on right after the column's name. */
  readonly what: string
}

/** How the descriptor could say what the column of a base64 field holds. */
export function adviceForBytes({ kind }: ColumnLayout): string {
  return kind === 'bytes' ? ", or leave out contentEncoding: 'base64'" : ''
}

/** Types of texts. Without a length, and but for the case of `citext`, they keep any text as it is. */
export const TEXTS: readonly string[] = ['text', 'varchar', 'bpchar', 'citext', 'name']

/** Types of other values, which a string shows as the type prints them. They take some texts only, or give them back
 * spelled otherwise. */
export const PRINTED_AS_TEXTS: readonly string[] = [
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bit', 'varbit'],
  ...['hstore', 'ltree', 'tsvector', 'xml'],
  ...['int4range', 'int8range', 'numrange', 'int4multirange', 'int8multirange', 'nummultirange'],
]

/** The length in the modifier of a `varchar(n)` or `char(n)`, which counts a header of 4 bytes; undefined without
 * one. */
export function lengthOf(modifier: number): number | undefined {
  return modifier < 4 ? undefined : modifier - 4
}

/** Their modifier says how many digits behind the second they keep. */
const TIMES: readonly string[] = ['timestamptz', 'timestamp', 'time', 'timetz', 'interval']

/** How many digits behind the second a column keeps, where it rounds the others; undefined for all six, and for other
 * types. */
export function fractionDigits(type: string, modifier: number): number | undefined {
  const digits = modifier & 0xffff
  return modifier >= 0 && digits < 6 && TIMES.includes(type) ? digits : undefined
}

const INTEGERS = ['int2', 'int4', 'int8']
/** Of moments and dates. */
const RANGES = ['tstzrange', 'tsrange', 'daterange']
/** Kept as text, these take some texts only, or give them back spelled otherwise. */
const SPECIAL_TEXTS = [
  ...['uuid', 'numeric', 'money', 'timestamptz', 'timestamp', 'date', 'time', 'timetz', 'interval'],
  ...RANGES,
  ...PRINTED_AS_TEXTS,
]

const FITS: Readonly<Record<StorageKind, readonly string[]>> = {
  string: [...TEXTS, ...SPECIAL_TEXTS],
  date: ['date', 'text', 'varchar'],
  bytes: ['bytea'],
  integer: [...INTEGERS, 'numeric'],
  number: ['float8', 'float4', 'numeric'],
  boolean: ['bool'],
  json: ['jsonb', 'json'],
}

/** The formats that fit what these types print. A text of another format does not. */
const FORMATS: Readonly<Partial<Record<string, readonly string[]>>> = {
  uuid: ['uuid'],
  numeric: ['decimal'],
  money: ['decimal'],
  timestamptz: ['date-time'],
  // Its times count as UTC.
  timestamp: ['date-time'],
  // It prints no offset.
  time: ['iso-time'],
  timetz: ['time', 'iso-time'],
  interval: ['duration'],
  tstzrange: ['date-time-range'],
  // Its times count as UTC.
  tsrange: ['date-time-range'],
  daterange: ['date-range'],
  // Of one host, without a mask.
  inet: ['ipv4', 'ipv6'],
}

/** What they print is as the session's settings have it, or no text of any format. */
const ONLY_WITH_FORMAT = ['timestamptz', 'timestamp', 'date', 'interval', 'money', ...RANGES]

/** The longest text of these formats. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = { uuid: 36, 'date-time': 35, time: 21, date: 10 }

/** The modifier of `varchar(n)` and `numeric(p, s)` counts a header of 4 bytes. */
const HEADER = 4

export function postgresMisfit(column: ColumnLayout, found: FoundColumn): Misfit | undefined {
  if (!fits(column, found)) {
    const type = columnType('postgres', column)
    return {
      kind: 'type',
      severity: 'error',
      what: ` is of type ${found.type}: it should be ${type}${otherDeclaration(column, found)}`,
    }
  }
  if (isIdColumn(column)) return idMisfit(column, found)
  const unfit = hasForm(column.stored) ? undefined : unfitFormat(column, found)
  if (unfit !== undefined) return { kind: 'type', severity: 'error', what: unfit }
  const what = narrowness(column.kind, column.schema, found)
  if (what === undefined) return undefined
  return { kind: 'type', severity: 'warning', what: ` ${what}, but the model allows others` }
}

/** Why no text of the column fits the field's format. */
function unfitFormat({ kind, schema }: FieldColumn, { type, isEnum }: FoundColumn): string | undefined {
  if (kind !== 'string' || (!isEnum && !SPECIAL_TEXTS.includes(type))) return undefined
  const format = textFormat(schema)
  const isFormatFree = format === undefined && !ONLY_WITH_FORMAT.includes(type)
  if (isFormatFree || (format !== undefined && FORMATS[type]?.includes(format))) return undefined
  const fitting = FORMATS[type]?.map((one) => `'${one}'`).join(' or ')
  const advice = fitting === undefined ? 'make it a text' : `declare the format ${fitting}, or make it a text`
  const given = format === undefined ? 'as plain text' : `as '${format}'`
  return ` is of type ${type}, whose values cannot be returned ${given}: ${advice}`
}

function fits(column: ColumnLayout, { type, isEnum }: FoundColumn): boolean {
  if (isIdColumn(column)) return postgres.ids[column.ids.stored].columns.fits[column.kind].includes(type)
  if (column.stored === 'text') return TEXTS.includes(type)
  const form = formIn(postgres.forms, column.stored)
  if (form !== undefined) return form.fits.includes(type)
  if (column.kind === 'json' && type.startsWith('_')) return fitsArray(column.schema, type.slice(1), isEnum)
  return FITS[column.kind].includes(type) || (column.kind === 'string' && isEnum)
}

/** Whether a column of an array keeps every JSON array that the schema allows: one of scalars, each as the type of the
 * elements has it. */
function fitsArray(schema: JsonSchema, elementType: string, isEnum: boolean): boolean {
  const items = itemsOf(schema)
  const storage = items === undefined ? undefined : storageOf(items)
  if (storage === undefined || 'problem' in storage || storage.kind === 'json') return false
  return ARRAY_ELEMENTS[storage.kind].includes(elementType) || (storage.kind === 'string' && isEnum)
}

const ARRAY_ELEMENTS: Readonly<Record<Exclude<StorageKind, 'json'>, readonly string[]>> = {
  ...FITS,
  string: [...TEXTS, 'uuid'],
  date: TEXTS,
  // Elements are no fields: what is in them stays the text that it is.
  bytes: TEXTS,
}

/** What kind of values the column keeps as they are, where the schema allows more. */
function narrowness(
  kind: StorageKind,
  schema: JsonSchema,
  { type, definition, modifier, isEnum }: FoundColumn,
): string | undefined {
  const length = modifier - HEADER
  const { multipleOf, pattern } = onlyBranch(schema) ?? schema
  if (type === 'float4') return 'keeps numbers of 6 digits only (real)'
  if (type === 'numeric' && modifier >= 0 && multipleOf === undefined) {
    const { before, behind } = digitsOf(modifier)
    const wanted = decimalDigits(schema)
    const isTooNarrow = wanted === undefined ? pattern === undefined : before < wanted.before || behind < wanted.behind
    if (!isTooNarrow) return undefined
    return kind === 'string'
      ? `accepts at most ${before} digits before the point and ${behind} behind it (numeric)`
      : `rounds to ${behind} decimal places (numeric)`
  }
  if (kind !== 'string') return undefined
  if (isRounded(type, modifier) && pattern === undefined) return `rounds its values (${definition})`
  if (type === 'timetz' && textFormat(schema) === 'iso-time') return 'accepts only times with an offset (timetz)'
  // No format says which texts these types take. What one does not take is 400.
  if (PRINTED_AS_TEXTS.includes(type)) return undefined
  if (isEnum || SPECIAL_TEXTS.includes(type)) {
    return isRestricted(schema) ? undefined : `accepts only texts of type ${type}`
  }
  // Who says the length knows the column. Of what is shorter, only blanks at the end are lost.
  if (type === 'bpchar' && ![schema.minLength, longestText(schema, FORMAT_LENGTHS)].includes(length))
    return `pads texts with blanks to ${length} characters`
  if (modifier >= 0 && longestText(schema, FORMAT_LENGTHS) > length)
    return `accepts texts of at most ${length} characters`
  return undefined
}

function isRounded(type: string, modifier: number): boolean {
  return fractionDigits(type, modifier) !== undefined
}

function isRestricted(schema: JsonSchema): boolean {
  return ['format', 'pattern', 'enum', 'const', 'anyOf'].some((keyword) => keyword in schema)
}

/** How the descriptor could say what the column holds. */
function otherDeclaration(column: ColumnLayout, { type }: FoundColumn): string {
  if (!isIdColumn(column)) return adviceForBytes(column)
  if (column.ids.stored === 'uuid' && TEXTS.includes(type)) return ", or declare { kind: 'uuid', stored: 'lower' }"
  const kind = { uuid: 'uuid', text: 'text', varchar: 'text', bpchar: 'text' }[type]
  return kind === undefined || kind === column.ids.name ? '' : `, or declare id: '${kind}'`
}

/** A column of texts that is too narrow for new ids. */
function idMisfit({ ids }: IdColumn, { modifier, type }: FoundColumn): Misfit | undefined {
  const length = modifier - HEADER
  const longest = ids.stored === 'uuid, hex' ? HEX_DIGITS : ids.maxLength
  if (!TEXTS.includes(type) || modifier < 0 || length >= longest) return undefined
  const what = ` accepts ids of at most ${length} characters, but the model allows ${longest}`
  return { kind: 'type', severity: 'warning', what }
}

/** Of a UUID. */
const HEX_DIGITS = 32
