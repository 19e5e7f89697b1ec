import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { defaultLiteral } from './default-literal.ts'

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
