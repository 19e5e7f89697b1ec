import type { DatabaseName } from '@fastify-crud/core/internal'
import { type FoundTable, type FoundTables, isIndexed, uniqueKeysOf } from '../catalogs/found-tables.ts'
import { columnsIn, type TableLayout, type UniqueLayout } from '../layout/table-layout.ts'
import type { ResolvedForeignKey } from './create-table.ts'
import { hasSearchTable, type SearchTable, searchTable } from './search-table.ts'
import { hasIndex, type WantedIndex, wantedIndexes, wantedTrigrams } from './wanted-indexes.ts'

/** An index for a unique key or a foreign key. */
export interface MissingIndex {
  readonly table: TableLayout
  readonly columns: readonly string[]
  /** Undefined: it is not unique. */
  readonly unique: UniqueLayout | undefined
}

export interface Missing {
  readonly tables: readonly TableLayout[]
  /** Also those of missing tables, except unique ones for all rows: a table is created with them. */
  readonly indexes: readonly MissingIndex[]
  /** Also those of missing tables. */
  readonly declaredIndexes: readonly WantedIndex[]
  /** SQLite: also those of missing tables. */
  readonly searches: readonly SearchTable[]
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
      ...missing.flatMap((table) => table.indexes.map((columns) => ({ table, columns, unique: undefined }))),
      ...missing.flatMap((table) =>
        table.uniques.filter(({ where }) => where.length > 0).map((one) => ofKey(table, one)),
      ),
      ...existing.flatMap(({ table, there }) => missingIndexes(there, table)),
    ],
    declaredIndexes: [
      ...missing.flatMap((table) => wantedIndexes(database, table).filter((index) => !isUniqueKey(database, index))),
      ...existing.flatMap(({ table, there }) => missingDeclared(database, there, table)),
      ...missing.flatMap((table) => wantedTrigrams(table, found.trigrams)),
      ...existing.flatMap(({ table, there }) => present(database, there, wantedTrigrams(table, found.trigrams, there))),
    ],
    searches: database === 'sqlite' ? missingSearches(found, written) : [],
  }
}

/** SQLite: the indexes for searches that are missing, or are not as they should be, over columns that are there. */
export function missingSearches(found: FoundTables, tables: readonly TableLayout[]): readonly SearchTable[] {
  if (!found.searches.isPossible) return []
  return tables.flatMap((table) => {
    const there = found.tables.get(table.key)
    const canBe = there === undefined || there.isTable
    const hasColumns = [...table.searched, ...table.searchKey].every((one) => there?.columns.has(one) !== false)
    if (table.searched.length === 0 || !canBe || !hasColumns) return []
    const search = searchTable(table)
    return hasSearchTable(search, found.searches) ? [] : [search]
  })
}

/**
 * Whether a unique key of the table is the index as well. On PostgreSQL it does not end in the id, so it does not say
 * in which order the rows without a value come.
 */
function isUniqueKey(database: DatabaseName, { table, keys, isDescending }: WantedIndex): boolean {
  if (isDescending || keys.some(({ part }) => part !== 'value')) return false
  if (database === 'postgres' && keys.some(({ column }) => column.nullable)) return false
  const columns = JSON.stringify(keys.map(({ column }) => column.name))
  return columnsIn(table.uniques).some((unique) => JSON.stringify(unique) === columns)
}

function missingDeclared(database: DatabaseName, found: FoundTable, table: TableLayout): readonly WantedIndex[] {
  return present(database, found, wantedIndexes(database, table, found))
}

/** Those over columns that are there, and that are missing. */
function present(database: DatabaseName, found: FoundTable, wanted: readonly WantedIndex[]): readonly WantedIndex[] {
  return wanted
    .filter(({ keys }) => keys.every(({ column }) => found.columns.has(column.name)))
    .filter((index) => !hasIndex(database, found, index))
}

function missingIndexes(found: FoundTable, table: TableLayout): readonly MissingIndex[] {
  const keys = table.uniques
    .filter((unique) => uniqueKeysOf(found, unique).length === 0)
    .map((unique) => ofKey(table, unique))
  // A foreign key that leads a unique key in the model may lead none in the database.
  const known = [...columnsIn(keys.map(({ unique }) => unique)), ...table.declaredIndexes]
  const leads = (columns: readonly string[]) => known.some((key) => columns.every((one, index) => key[index] === one))
  const plain = table.foreignKeys
    .filter(({ columns }) => !leads(columns) && !isIndexed(found, columns))
    .map(({ columns }) => ({ table, columns, unique: undefined }))
  return [...keys, ...plain].filter(({ columns, unique }) => {
    return [...columns, ...(unique?.where ?? []).map(({ column }) => column)].every((name) => found.columns.has(name))
  })
}

function ofKey(table: TableLayout, unique: UniqueLayout): MissingIndex & { readonly unique: UniqueLayout } {
  return { table, columns: unique.columns, unique }
}

/** A table to create. */
export interface PlannedTable {
  readonly table: TableLayout
  /** Foreign keys that it is created with. */
  readonly inline: readonly ResolvedForeignKey[]
  /** Those to tables that are created behind it. */
  readonly late: readonly ResolvedForeignKey[]
}

/** The tables that are missing, in the order in which they are created. `keysLast`: no table is created with foreign
 * keys to others. */
export function plannedTables(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
  keysLast = false,
): readonly PlannedTable[] {
  const { tables: missing } = missingFrom(database, found, tables)
  const byKey = new Map(tables.map((table) => [table.key, table]))
  const waiting = new Set(missing.map(({ key }) => key))
  // SQLite takes a foreign key to a table that does not exist yet, and cannot add one later.
  const isInline = ({ target }: ResolvedForeignKey) => database === 'sqlite' || (!keysLast && !waiting.has(target))
  return missing.map((table) => {
    waiting.delete(table.key)
    const foreignKeys = table.foreignKeys
      .filter(({ isConstrained }) => isConstrained)
      .map((key) => ({ ...key, to: byKey.get(key.target) as TableLayout }))
    return { table, inline: foreignKeys.filter(isInline), late: foreignKeys.filter((key) => !isInline(key)) }
  })
}
