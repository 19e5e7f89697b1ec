import { type DatabaseName, hasForm } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { columnType } from '../../layout/column-type.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'
import type { ComparedTable } from '../comparison.ts'
import { columnInModel, type Difference, type Pair } from '../difference.ts'

/** A column that is not there, with the SQL that adds it. */
export function missingColumn(at: Pair, column: ColumnLayout, comparison: ComparedTable): Difference {
  const { database } = comparison
  const type = columnType(database, column)
  const what = `${columnInModel(at.table, column)} is missing`
  const wanted = column.nullable ? type : `${type} not null`
  const difference = { kind: 'column', severity: 'error', at, column, wanted, what } as const
  if (column.kind === 'id') return difference
  const add = addColumn(at.table, column, comparison)
  const lack = lackOf(column, database)
  return { ...difference, ...(lack === undefined ? { fix: [add] } : { advice: add + lack }) }
}

/** The SQL that adds a column, to a table without rows if the column needs a value. */
export function addColumn(table: TableLayout, column: ColumnLayout, comparison: ComparedTable): string {
  const { database } = comparison
  const type = columnType(database, column)
  // Indexes serve sorts by code point only so.
  const sorted = database === 'postgres' && type === 'text' ? 'text COLLATE "C"' : type
  const definition = [quoted(column.name), sorted, notNull(column, database), reference(table, column, comparison)]
  return `ALTER TABLE ${quotedTable(table)} ADD COLUMN ${definition.filter((part) => part !== '').join(' ')}`
}

function notNull(column: ColumnLayout, database: DatabaseName): string {
  if (column.nullable) return ''
  const literal = defaultLiteral(column, database)
  return literal === undefined ? 'NOT NULL' : `NOT NULL DEFAULT ${literal}`
}

/** SQLite can add a foreign key with its column only. */
function reference(table: TableLayout, { name }: ColumnLayout, { layout }: ComparedTable): string {
  const key = table.foreignKeys.find(({ column }) => column === name)
  if (key?.isConstrained !== true || key.columns.length > 1) return ''
  const target = layout.get(key.target)
  return target === undefined ? '' : `REFERENCES ${quotedTable(target)} (${quoted(key.targetColumn)})`
}

/** What the statement lacks where the table has rows, or only the database gives values to some. */
function lackOf(column: ColumnLayout, database: DatabaseName): string | undefined {
  if (!isIdColumn(column) && column.hasDbDefault) return ', with a DEFAULT'
  if (column.nullable) return undefined
  // SQLite adds no reference with a default.
  if (isIdColumn(column)) return database === 'sqlite' ? ', which needs an empty table' : FOR_ROWS
  if (defaultLiteral(column, database) !== undefined) return undefined
  return column.mayBeGiven ? ', with a DEFAULT' : FOR_ROWS
}

const FOR_ROWS = ', with a DEFAULT for the rows that exist'

/** The default of a column's field as SQL; undefined if it has none, or if the column spells it in a way of its own. */
export function defaultLiteral(column: ColumnLayout, database: DatabaseName): string | undefined {
  if (isIdColumn(column) || column.default === undefined || hasForm(column.stored)) return undefined
  const { kind, default: value } = column
  if (kind === 'bytes') {
    const hex = Buffer.from(String(value), 'base64').toString('hex')
    return database === 'sqlite' ? `x'${hex}'` : `decode('${hex}', 'hex')`
  }
  if (kind !== 'json' && typeof value !== 'string') return String(value)
  return quotedText(kind === 'json' ? JSON.stringify(value) : String(value))
}

export function setNotNull(table: TableLayout, column: string): string {
  return `ALTER TABLE ${quotedTable(table)} ALTER COLUMN ${quoted(column)} SET NOT NULL`
}

export function dropNotNull(table: TableLayout, column: string): string {
  return `ALTER TABLE ${quotedTable(table)} ALTER COLUMN ${quoted(column)} DROP NOT NULL`
}

/** Finds a row without a value. */
export function anyNull(table: TableLayout, column: string): string {
  return `SELECT 1 FROM ${quotedTable(table)} WHERE ${quoted(column)} IS NULL LIMIT 1`
}

/** Gives the rows without a value the field's default, as a new column would have it. */
export function fillNulls(
  table: TableLayout,
  column: ColumnLayout,
  found: FoundColumn,
  database: DatabaseName,
): readonly string[] {
  const literal = defaultLiteral(column, database)
  return literal === undefined || !takesLiterals(found) ? [] : [fillWith(table, column.name, literal)]
}

export function fillWith(table: TableLayout, column: string, literal: string): string {
  const name = quoted(column)
  return `UPDATE ${quotedTable(table)} SET ${name} = ${literal} WHERE ${name} IS NULL`
}

/** An array is not written as JSON, and a timestamp takes a text without regard to its offset. */
export function takesLiterals({ type }: FoundColumn): boolean {
  return !type.startsWith('_') && type !== 'timestamp'
}
