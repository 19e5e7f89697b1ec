import type { StorageKind } from '../../model/described-value.ts'
import type { JsonSchema } from '../../model/json-schema.ts'
import { longestText } from '../../model/longest-text.ts'
import { postgres } from '../../query/dialect/postgres.ts'
import type { FoundColumn } from '../catalogs/found-tables.ts'
import { columnType } from '../create/column-type.ts'
import { type ColumnLayout, isIdColumn } from '../create/table-layout.ts'
import type { Misfit } from './misfit.ts'

const INTEGERS = ['int2', 'int4', 'int8']
const TEXTS = ['text', 'varchar', 'bpchar', 'citext', 'name']

/** Kept as text, these take some texts only, or give them back spelled otherwise. */
const SPECIAL_TEXTS = ['uuid', 'numeric', 'timestamptz', 'timestamp', 'date', 'time', 'timetz', 'interval', 'inet']

const FITS: Readonly<Record<StorageKind, readonly string[]>> = {
  string: [...TEXTS, ...SPECIAL_TEXTS],
  date: ['date', 'text', 'varchar'],
  integer: [...INTEGERS, 'numeric'],
  number: ['float8', 'float4', 'numeric'],
  boolean: ['bool'],
  json: ['jsonb', 'json'],
}

/** The longest text of these formats. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = { uuid: 36, 'date-time': 35, time: 21, date: 10 }

/** The modifier of `varchar(n)` and `numeric(p, s)` counts a header of 4 bytes. */
const HEADER = 4

export function postgresMisfit(column: ColumnLayout, found: FoundColumn): Misfit | undefined {
  if (!fits(column, found)) {
    const type = columnType('postgres', column)
    return { severity: 'error', what: ` is of type ${found.type}: it should be ${type}` }
  }
  if (isIdColumn(column)) return undefined
  const what = narrowness(column.kind, column.schema, found)
  return what === undefined ? undefined : { severity: 'warning', what: ` ${what}, but the model allows others` }
}

function fits(column: ColumnLayout, { type, isEnum }: FoundColumn): boolean {
  if (isIdColumn(column)) return postgres.ids[column.ids.name].columns.fits[column.kind].includes(type)
  return FITS[column.kind].includes(type) || (column.kind === 'string' && isEnum)
}

/** What kind of values the column keeps as they are, where the schema allows more. */
function narrowness(
  kind: StorageKind,
  schema: JsonSchema,
  { type, modifier, isEnum }: FoundColumn,
): string | undefined {
  const length = modifier - HEADER
  if (type === 'float4') return 'keeps numbers of 6 digits only (real)'
  if (type === 'numeric' && modifier >= 0 && schema.multipleOf === undefined && schema.pattern === undefined) {
    return `rounds to ${length & 0x7ff} decimal places (numeric)`
  }
  if (kind !== 'string') return undefined
  if (type === 'timestamp' && schema.format === 'date-time') return 'forgets the offset from UTC (timestamp)'
  if (isEnum || SPECIAL_TEXTS.includes(type)) {
    return isRestricted(schema) ? undefined : `takes texts of type ${type} only`
  }
  if (type === 'bpchar' && schema.minLength !== length) return `fills texts up to ${length} characters with blanks`
  if (modifier >= 0 && longestText(schema, FORMAT_LENGTHS) > length)
    return `takes texts of ${length} characters at most`
  return undefined
}

function isRestricted(schema: JsonSchema): boolean {
  return ['format', 'pattern', 'enum', 'const', 'anyOf'].some((keyword) => keyword in schema)
}
