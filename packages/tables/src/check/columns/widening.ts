import { decimalDigits, digitsOf, fieldCheck, hasForm, longestText, textFormat } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundIndex } from '../../catalogs/found-tables.ts'
import { type ColumnLayout, type FieldColumn, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { lengthOf } from './postgres-misfit.ts'

/** How PostgreSQL gives a column a type that keeps all of its values, and more. */
export interface Widening {
  readonly statements: readonly string[]
  /** What a new column would get in its place; undefined where PostgreSQL leaves the rows as they are. */
  readonly copy: { readonly type: string; readonly convert: (value: string) => string } | undefined
  /** The way back. */
  readonly narrowing: Narrowing | undefined
}

export interface Narrowing {
  /** Finds a row if the column holds values that the narrower type would not keep as they are. */
  readonly unfit: string
  readonly statement: string
}

interface Conversion {
  readonly type: string
  /** PostgreSQL writes no row for it. */
  readonly isInPlace?: true
  readonly using?: (value: string) => string
  /** A condition for the rows that {@link Narrowing.unfit} finds, and how the others become what they were. */
  readonly back?: { readonly unfit: string; readonly using?: string }
}

/** The types that are converted, as SQL has them. A domain has another name, and may have checks that would be lost. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  numeric: 'numeric',
  float8: 'double precision',
  bool: 'boolean',
  text: 'text',
  varchar: 'character varying',
  date: 'date',
  timestamptz: 'timestamp with time zone',
  time: 'time without time zone',
  timetz: 'time with time zone',
  uuid: 'uuid',
}

/** Undefined where a value could change, or where an index is over what the type means. */
export function widening(
  table: TableLayout,
  column: ColumnLayout,
  found: FoundColumn,
  indexes: readonly FoundIndex[],
): Widening | undefined {
  const { name, definition, type: foundType } = found
  const usual = DEFINITIONS[foundType]
  if (usual === undefined || !definition.startsWith(usual)) return undefined
  if (isIdColumn(column) || hasForm(column.stored)) return undefined
  if (found.isComputed || found.sequence !== undefined || table.idColumns.includes(column.name)) return undefined
  const conversion = indexes.some((index) => dependsOn(index, name)) ? undefined : conversionOf(column, found)
  if (conversion === undefined) return undefined
  const alterColumn = `ALTER COLUMN ${quoted(name)}`
  const alter = `ALTER TABLE ${quotedTable(table)} ${alterColumn}`
  const { type, using, back, isInPlace } = conversion
  const narrow = `TYPE ${definition}${collationOf(found)}${usingText(back?.using)}`
  // PostgreSQL makes no other default of that of a text.
  const actions = found.default === undefined ? [narrow] : ['DROP DEFAULT', narrow, `SET DEFAULT ${found.default}`]
  return {
    statements: [
      // The service gives the default itself. PostgreSQL converts none to JSON.
      ...(type === 'jsonb' && found.hasDefault ? [`${alter} DROP DEFAULT`] : []),
      `${alter} TYPE ${type}${usingText(using?.(quoted(name)))}`,
    ],
    copy: isInPlace ? undefined : { type, convert: using ?? ((value) => value) },
    narrowing: back && {
      unfit: `SELECT 1 FROM ${quotedTable(table)} WHERE ${back.unfit} LIMIT 1`,
      statement: `ALTER TABLE ${quotedTable(table)} ${actions.map((one) => `${alterColumn} ${one}`).join(', ')}`,
    },
  }
}

/** An expression or a condition of an index may not exist for another type. */
function dependsOn({ keys, isPartial }: FoundIndex, column: string): boolean {
  return isPartial || keys.some(({ expression }) => expression?.includes(column))
}

function usingText(expression: string | undefined): string {
  return expression === undefined ? '' : ` USING ${expression}`
}

/** A column that gets a type keeps its collation only if that is named. */
function collationOf({ collation }: FoundColumn): string {
  return collation === undefined || collation === 'default' ? '' : ` COLLATE ${quoted(collation)}`
}

function conversionOf(column: FieldColumn, found: FoundColumn): Conversion | undefined {
  if (column.stored === 'text') return toText(found)
  switch (column.kind) {
    case 'number':
      return toNumber(found)
    case 'string':
      return toOtherText(column, found)
    case 'json':
      return toJson(column, found)
    default:
      return undefined
  }
}

const INTEGERS = ['int2', 'int4', 'int8']

/** A `double precision` does not keep every `bigint`. */
function toNumber({ name, type }: FoundColumn): Conversion | undefined {
  if (!INTEGERS.includes(type)) return undefined
  const value = quoted(name)
  return type === 'int8'
    ? { type: 'numeric', back: { unfit: `${value} <> trunc(${value})` } }
    : { type: 'double precision', back: { unfit: `${value} <> trunc(${value})` } }
}

function toLongerText({ schema }: FieldColumn, found: FoundColumn): Conversion | undefined {
  const length = lengthOf(found.modifier)
  const longest = longestText(schema, {})
  if (length === undefined || longest <= length) return undefined
  const type = Number.isFinite(longest) ? `varchar(${longest})` : 'text'
  return {
    type: type + collationOf(found),
    isInPlace: true,
    back: { unfit: `length(${quoted(found.name)}) > ${length}` },
  }
}

function toOtherText(column: FieldColumn, found: FoundColumn): Conversion | undefined {
  if (found.type === 'varchar') return toLongerText(column, found)
  const format = textFormat(column.schema)
  if (format === 'decimal') return INTEGERS.includes(found.type) ? toDecimal(found) : toWiderDecimal(column, found)
  const isTime = found.type === 'timetz' && format === 'iso-time'
  return format === undefined || isTime ? toText(found) : undefined
}

function toDecimal({ name }: FoundColumn): Conversion {
  return { type: 'numeric', back: { unfit: `scale(${quoted(name)}) > 0 OR abs(${quoted(name)}) >= 1e18` } }
}

/** With another number of digits behind the point, values would be spelled otherwise. */
function toWiderDecimal({ schema }: FieldColumn, { name, type, modifier }: FoundColumn): Conversion | undefined {
  const wanted = decimalDigits(schema)
  if (type !== 'numeric' || modifier < 0 || wanted === undefined) return undefined
  const { before, behind } = digitsOf(modifier)
  const isSpelledAlike = wanted.behind <= behind
  const unfit = `scale(${quoted(name)}) <> ${behind} OR abs(${quoted(name)}) >= 1e${before}`
  return {
    type: isSpelledAlike ? `numeric(${wanted.before + behind}, ${behind})` : 'numeric',
    isInPlace: true,
    back: { unfit },
  }
}

function toText(found: FoundColumn): Conversion | undefined {
  const value = quoted(found.name)
  const { text, pattern } = printedAs(found) ?? {}
  if (text === undefined || pattern === undefined) return undefined
  return {
    type: TEXT,
    using: text,
    back: { unfit: `${value} !~ '${pattern}'`, using: `${value}::${found.definition}` },
  }
}

/** How the service shows values of a type, and what such texts are like. */
interface Printed {
  readonly text: (value: string) => string
  readonly pattern: string
}

/** Undefined for what are no texts to the service, or no texts of one form. */
function printedAs({ type, modifier }: FoundColumn): Printed | undefined {
  if (type === 'numeric') return { text: asPrinted, pattern: patternOfNumeric(modifier) }
  return INTEGERS.includes(type) ? { text: asPrinted, pattern: '^(?:0|-?[1-9][0-9]{0,17})$' } : PRINTED[type]
}

const asPrinted = (value: string) => `${value}::text`

const CLOCK = '[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]{0,5}[1-9])?'

/** Whatever the settings `DateStyle` and `TimeZone` are. */
const PRINTED: Readonly<Record<string, Printed>> = {
  date: { text: (value) => `to_json(${value}) #>> '{}'`, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
  timestamptz: {
    text: (value) => `(to_json(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`,
    pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${CLOCK}Z$`,
  },
  time: { text: asPrinted, pattern: `^${CLOCK}$` },
  timetz: {
    text: (value) =>
      `CASE WHEN ${value}::text LIKE '%+00' THEN left(${value}::text, -3) || 'Z' WHEN ${value}::text ~ '[+-][0-9]{2}$' THEN ${value}::text || ':00' ELSE ${value}::text END`,
    pattern: `^${CLOCK}(?:Z|[+-][0-9]{2}:[0-9]{2})$`,
  },
  uuid: { text: asPrinted, pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
}

/** A `numeric(p, s)` prints all of its digits behind the point. */
function patternOfNumeric(modifier: number): string {
  if (modifier < 0) return '^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?$'
  const { before, behind } = digitsOf(modifier)
  const whole = before === 0 ? '0' : `(?:0|[1-9][0-9]{0,${before - 1}})`
  return `^-?${whole}${behind === 0 ? '' : `[.][0-9]{${behind}}`}$`
}

const TEXT = 'text COLLATE "C"'

/** Where the field takes what the column holds as JSON. */
function toJson({ schema }: FieldColumn, { name, type }: FoundColumn): Conversion | undefined {
  const check = fieldCheck(schema, 'json')
  const samples = SAMPLES[type] ?? ['x', '2026-01-31']
  if (!samples.every((sample) => check(sample).length === 0)) return undefined
  const value = quoted(name)
  const printed = PRINTED[type]
  const using = (one: string) => `to_jsonb(${printed?.text(one) ?? one})`
  return { type: 'jsonb', using, back: fromJson(value, type, printed) }
}

/** The text of JSON that is no array and no object. */
const scalar = (value: string) => `(${value} #>> '{}')`

function fromJson(value: string, type: string, printed: Printed | undefined): NonNullable<Conversion['back']> {
  const text = scalar(value)
  const using = `${text}::${DEFINITIONS[type]}`
  const isNo = (json: string) => `jsonb_typeof(${value}) <> '${json}'`
  if (printed !== undefined) return { unfit: `${isNo('string')} OR ${text} !~ '${printed.pattern}'`, using }
  switch (type) {
    case 'text':
    case 'varchar':
      return { unfit: isNo('string'), using: text }
    case 'bool':
      return { unfit: isNo('boolean'), using }
    case 'numeric':
      return { unfit: isNo('number'), using }
    case 'float8': {
      const isSame = `to_jsonb(${using}) = ${value}`
      const unfit = `${value} IS NOT NULL AND NOT CASE WHEN ${isNo('number')} THEN false ELSE ${isSame} END`
      return { unfit, using }
    }
    default:
      return { unfit: `${isNo('number')} OR ${text} !~ '^(?:0|-?[1-9][0-9]{0,17})$'`, using }
  }
}

/** Values of the types that are no texts. */
const SAMPLES: Readonly<Partial<Record<string, readonly unknown[]>>> = {
  ...Object.fromEntries(INTEGERS.map((type) => [type, [7, -1]])),
  numeric: [0.5, -7],
  float8: [0.5, -7],
  bool: [true, false],
}
