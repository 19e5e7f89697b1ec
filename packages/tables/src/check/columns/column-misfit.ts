import {
  type DatabaseName,
  formIn,
  RANGE_FORMATS,
  type StorageKind,
  sqlite,
  textFormat,
} from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { columnType } from '../../layout/column-type.ts'
import { type ColumnLayout, isIdColumn, typedAs } from '../../layout/table-layout.ts'
import { adviceForBytes, type Misfit, postgresMisfit } from './postgres-misfit.ts'

export function columnMisfit(
  database: DatabaseName,
  column: ColumnLayout,
  found: FoundColumn,
  isStrict: boolean,
): Misfit | undefined {
  const typed = typedAs(column)
  return database === 'postgres' ? postgresMisfit(typed, found) : sqliteMisfit(typed, found, isStrict)
}

/** What a declared type does to values (https://sqlite.org/datatype3.html): `none` keeps them as they are. */
type Affinity = 'integer' | 'text' | 'none' | 'real' | 'numeric'

const FITS: Readonly<Record<StorageKind, readonly Affinity[]>> = {
  string: ['text', 'none'],
  date: ['text', 'numeric', 'none'],
  // Types such as `varbinary` are numeric, too.
  bytes: ['none', 'numeric'],
  integer: ['integer', 'numeric', 'none'],
  number: ['real', 'integer', 'numeric', 'none'],
  boolean: ['integer', 'numeric', 'none'],
  json: ['text', 'numeric', 'none'],
}

/** A numeric column keeps text that does not look like a number: as these never do, `DATETIME` and `UUID` will do. */
const NEVER_A_NUMBER = new Set(['date-time', 'time', 'iso-time', 'duration', 'uuid', 'email', 'uri', ...RANGE_FORMATS])

/** SQLite writes these with a space, and without an offset. */
const CURRENT_TIMESTAMP = /^(?:current_timestamp|datetime\(\s*'now'(?:\s*,\s*'localtime')?\s*\))$/i

function sqliteMisfit(column: ColumnLayout, found: FoundColumn, isStrict: boolean): Misfit | undefined {
  const { type } = found
  if (isOtherMoment(column) && isCurrentTimestamp(found)) {
    const advice = "declare stored: 'space', or make it (strftime('%Y-%m-%dT%H:%M:%fZ'))"
    const what = ` has the default ${found.default}, which is no date-time of RFC 3339: ${advice}`
    return { kind: 'default', severity: 'error', what }
  }
  const affinity = affinityOf(type, isStrict)
  const isBlob = affinity === 'none' && !/^any$/i.test(type) && column.kind !== 'bytes'
  const isRefused = isStrict && (isBlob || (column.kind === 'number' && affinity === 'integer'))
  if (fits(column, affinity) && !isRefused) return undefined
  if (column.kind === 'string' && affinity === 'numeric' && NEVER_A_NUMBER.has(String(textFormat(column.schema)))) {
    return undefined
  }
  const given = type === '' ? 'has no type' : `is of type ${type}`
  return {
    kind: 'type',
    severity: 'error',
    what: ` ${given}, which does not keep every value as it is: it should be ${columnType('sqlite', column)}${adviceForBytes(column)}`,
  }
}

/** Whether the column has moments, and not as `current_timestamp` spells them. */
function isOtherMoment(column: ColumnLayout): boolean {
  if (isIdColumn(column) || textFormat(column.schema) !== 'date-time') return false
  return column.stored !== 'space'
}

function isCurrentTimestamp({ default: given = '' }: FoundColumn): boolean {
  return CURRENT_TIMESTAMP.test(
    given
      .trim()
      .replace(/^\((.*)\)$/, '$1')
      .trim(),
  )
}

function fits(column: ColumnLayout, affinity: Affinity): boolean {
  if (isIdColumn(column)) return sqlite.ids[column.ids.stored].columns.fits[column.kind].includes(affinity)
  return (formIn(sqlite.forms, column.stored)?.fits ?? FITS[column.kind]).includes(affinity)
}

function affinityOf(declared: string, isStrict: boolean): Affinity {
  const type = declared.toUpperCase()
  if (type.includes('INT')) return 'integer'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  if (type === '' || type.includes('BLOB') || (isStrict && type === 'ANY')) return 'none'
  if (/REAL|FLOA|DOUB/.test(type)) return 'real'
  return 'numeric'
}
