import { fieldCheck, longestText, textFormat } from '@fastify-crud/core/internal'
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
  if (isIdColumn(column) || column.stored !== undefined) return undefined
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
  switch (column.kind) {
    case 'number':
      return toNumber(found)
    case 'string':
      return found.type === 'varchar' ? toLongerText(column, found) : toText(column, found)
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

function toText({ schema }: FieldColumn, { name, type }: FoundColumn): Conversion | undefined {
  const format = textFormat(schema)
  const value = quoted(name)
  if (INTEGERS.includes(type) && (format === undefined || format === 'decimal')) {
    const unfit = `${value} !~ '^(?:0|-?[1-9][0-9]{0,17})$'`
    return { type: TEXT, using: (one) => `${one}::text`, back: { unfit, using: `${value}::bigint` } }
  }
  if (type !== 'date' || format !== undefined) return undefined
  // Whatever the setting DateStyle is.
  const using = (one: string) => `to_json(${one}) #>> '{}'`
  return { type: TEXT, using, back: { unfit: `${value} !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'`, using: `${value}::date` } }
}

const TEXT = 'text COLLATE "C"'

/** Where the field takes what the column holds as JSON. */
function toJson({ schema }: FieldColumn, { name, type }: FoundColumn): Conversion | undefined {
  const check = fieldCheck(schema, 'json')
  const samples = SAMPLES[type] ?? ['x', '2026-01-31']
  if (!samples.every((sample) => check(sample).length === 0)) return undefined
  const value = quoted(name)
  return { type: 'jsonb', using: (one) => `to_jsonb(${one})`, back: fromJson(value, type) }
}

/** The text of JSON that is no array and no object. */
const scalar = (value: string) => `(${value} #>> '{}')`

function fromJson(value: string, type: string): NonNullable<Conversion['back']> {
  const text = scalar(value)
  const using = `${text}::${DEFINITIONS[type]}`
  const isNo = (json: string) => `jsonb_typeof(${value}) <> '${json}'`
  switch (type) {
    case 'text':
    case 'varchar':
      return { unfit: isNo('string'), using: text }
    case 'date':
      return { unfit: `${isNo('string')} OR ${text} !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'`, using }
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
