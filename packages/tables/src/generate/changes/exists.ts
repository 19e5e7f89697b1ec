import type { DatabaseName } from '@fastify-crud/core/internal'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'

/** Queries that find a row if something is there. */
export function columnExists(database: DatabaseName, table: TableLayout, column: string): string {
  return database === 'sqlite'
    ? `SELECT 1 FROM pragma_table_xinfo(${quotedText(table.name)}) WHERE name = ${quotedText(column)} COLLATE NOCASE`
    : `SELECT 1 FROM pg_attribute WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(column)} AND NOT attisdropped`
}

/** PostgreSQL. */
export function constraintExists(table: TableLayout, name: string): string {
  return `SELECT 1 FROM pg_constraint WHERE conrelid = ${regclass(table)} AND conname = ${quotedText(name)}`
}

/** PostgreSQL. */
export function primaryKeyExists(table: TableLayout): string {
  return `SELECT 1 FROM pg_constraint WHERE conrelid = ${regclass(table)} AND contype = 'p'`
}

/** PostgreSQL: an identity or a default. */
export function idIsAssigned(table: TableLayout, column: string): string {
  return `SELECT 1 FROM pg_attribute WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(column)} AND (attidentity <> '' OR atthasdef)`
}

/** PostgreSQL: an index that was left behind as its making failed. */
export function invalidIndexExists(table: TableLayout, name: string): string {
  const index = quotedText(indexPath(table, name))
  return `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(${index}) AND NOT indisvalid`
}

/** An index as SQL calls it. It is in the schema of its table. */
export function indexPath({ schema }: TableLayout, name: string): string {
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`
}

export function regclass(table: TableLayout): string {
  return `${quotedText(quotedTable(table))}::regclass`
}
