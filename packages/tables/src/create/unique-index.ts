import { constantText, type DatabaseName } from '@fastify-crud/core/internal'
import type { ColumnIs, TableLayout, UniqueLayout } from '../layout/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import { type ConstraintNames, uniqueName } from './constraint-names.ts'

/**
 * The statement that adds a unique key to a table. PostgreSQL has no deferrable indexes, only deferrable constraints.
 *
 * `ifMissing`: it does nothing where an index has the name.
 */
export function addUnique(
  database: DatabaseName,
  table: TableLayout,
  unique: UniqueLayout,
  nameOf: ConstraintNames,
  ifMissing = false,
): string {
  const name = quoted(uniqueName(nameOf, table, unique))
  const columns = `(${quoted(...unique.columns)})`
  if (unique.needsDeferral && database === 'postgres') {
    return `ALTER TABLE ${quotedTable(table)} ADD CONSTRAINT ${name} UNIQUE ${columns} DEFERRABLE`
  }
  const create = `CREATE UNIQUE INDEX ${ifMissing ? 'IF NOT EXISTS ' : ''}${name} ON ${quotedTable(table)} ${columns}`
  return create + whereText(database, unique)
}

/** The part of a `CREATE INDEX` that says for which rows a key holds. */
export function whereText(database: DatabaseName, { where }: UniqueLayout): string {
  return where.length === 0 ? '' : ` WHERE ${conditionText(database, where)}`
}

/** The condition as SQL. */
export function conditionText(database: DatabaseName, where: readonly ColumnIs[]): string {
  return where
    .map(({ column, is }) => {
      if (typeof is !== 'string') return `${quoted(column)} = ${constantText(database, is.value)}`
      return `${quoted(column)} IS ${is === 'null' ? 'NULL' : 'NOT NULL'}`
    })
    .join(' AND ')
}
