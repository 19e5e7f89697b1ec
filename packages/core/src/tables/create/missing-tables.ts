import type { DatabaseName } from '../../query/dialect/database.ts'
import { isIndexed, uniqueKeysOf } from '../catalogs/found-indexes.ts'
import type { FoundTable, FoundTables } from '../catalogs/found-tables.ts'
import { hasIndex } from '../catalogs/serves-index.ts'
import type { TableLayout } from './table-layout.ts'
import { type WantedIndex, wantedIndexes } from './wanted-indexes.ts'

/** An index for a unique key or a foreign key. */
export interface MissingIndex {
  readonly table: TableLayout
  readonly columns: readonly string[]
  readonly isUnique: boolean
  readonly isDeferrable: boolean
}

const PLAIN = { isUnique: false, isDeferrable: false }

export interface Missing {
  readonly tables: readonly TableLayout[]
  /** Also those of missing tables, except the unique ones: a table is created with them. */
  readonly indexes: readonly MissingIndex[]
  /** Also those of missing tables. */
  readonly declaredIndexes: readonly WantedIndex[]
}

/** What `createTables` has to create: the tables that are not there, and indexes over columns that are. */
export function missingFrom(database: DatabaseName, found: FoundTables, tables: readonly TableLayout[]): Missing {
  const written = tables.filter(({ isWritable }) => isWritable)
  const missing = written.filter(({ key }) => !found.tables.has(key))
  const existing = written.flatMap((table) => {
    const there = found.tables.get(table.key)
    return there?.isTable === true ? [{ table, there }] : []
  })
  return {
    tables: missing,
    indexes: [
      ...missing.flatMap((table) => table.indexes.map((column) => ({ table, columns: [column], ...PLAIN }))),
      ...existing.flatMap(({ table, there }) => missingIndexes(database, there, table)),
    ],
    declaredIndexes: [
      ...missing.flatMap((table) => wantedIndexes(database, table).filter((index) => !isUniqueKey(database, index))),
      ...existing.flatMap(({ table, there }) => missingDeclared(database, there, table)),
    ],
  }
}

/**
 * Whether a unique key of the table is the index as well. On PostgreSQL it does not end in the id, so it does not say in which order
 * the rows without a value come.
 */
function isUniqueKey(database: DatabaseName, { table, keys, isDescending }: WantedIndex): boolean {
  if (isDescending || keys.some(({ part }) => part !== 'value')) return false
  if (database === 'postgres' && keys.some(({ column }) => column.nullable)) return false
  const columns = JSON.stringify(keys.map(({ column }) => column.name))
  return table.uniques.some((unique) => JSON.stringify(unique.columns) === columns)
}

function missingDeclared(database: DatabaseName, found: FoundTable, table: TableLayout): readonly WantedIndex[] {
  return wantedIndexes(database, table, found)
    .filter(({ keys }) => keys.every(({ column }) => found.columns.has(column.name)))
    .filter((index) => !hasIndex(database, found, index))
}

function missingIndexes(database: DatabaseName, found: FoundTable, table: TableLayout): readonly MissingIndex[] {
  const keys = table.uniques
    .filter(({ columns }) => uniqueKeysOf(found, columns).length === 0)
    .map(({ columns, needsDeferral }) => ({
      table,
      columns,
      isUnique: true,
      isDeferrable: needsDeferral && database === 'postgres',
    }))
  // A foreign key that leads a unique key in the model may lead none in the database.
  const led = new Set([...keys.map(({ columns }) => columns[0]), ...table.declaredIndexes.map(([first]) => first)])
  const plain = table.foreignKeys
    .filter(({ column }) => !led.has(column) && !isIndexed(found, column))
    .map(({ column }) => ({ table, columns: [column], ...PLAIN }))
  return [...keys, ...plain].filter(({ columns }) => columns.every((column) => found.columns.has(column)))
}
