import { isIndexed, uniqueKeysOf } from '../catalogs/found-indexes.ts'
import type { FoundTables } from '../catalogs/found-tables.ts'
import type { TableLayout } from './table-layout.ts'

export interface MissingIndex {
  readonly table: TableLayout
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

export interface Missing {
  readonly tables: readonly TableLayout[]
  /** Also those of missing tables, except the unique ones: a table is created with them. */
  readonly indexes: readonly MissingIndex[]
}

/** What `createTables` has to create: the tables that are not there, and indexes over columns that are. */
export function missingFrom(found: FoundTables, tables: readonly TableLayout[]): Missing {
  return {
    tables: tables.filter(({ key }) => !found.tables.has(key)),
    indexes: tables.flatMap((table) => missingIndexes(found, table)),
  }
}

function missingIndexes(found: FoundTables, table: TableLayout): readonly MissingIndex[] {
  const existing = found.tables.get(table.key)
  const indexes = table.indexes.map((column) => ({ table, columns: [column], isUnique: false }))
  if (existing === undefined) return indexes
  if (!existing.isTable) return []
  const keys = table.uniques
    .filter((columns) => uniqueKeysOf(existing, columns).length === 0)
    .map((columns) => ({ table, columns, isUnique: true }))
  // A foreign key that leads a unique key in the model may lead none in the database.
  const led = new Set(keys.map(({ columns }) => columns[0]))
  const plain = table.foreignKeys
    .filter(({ column }) => !led.has(column) && !isIndexed(existing, column))
    .map(({ column }) => ({ table, columns: [column], isUnique: false }))
  return [...keys, ...plain].filter(({ columns }) => columns.every((column) => existing.columns.has(column)))
}
