import type { DatabaseName } from '@fastify-crud/core/internal'
import { uniqueKeysOf } from '../catalogs/found-tables.ts'
import { missingSearch, type SearchTable } from '../create/search-table.ts'
import {
  declaredIndex,
  type NewIndex,
  plainIndex,
  uniqueIndex,
  type WantedIndex,
  wantedIndexes,
  wantedTrigrams,
} from '../create/wanted-indexes.ts'
import { columnsIn, type TableLayout } from '../layout/table-layout.ts'
import { differencesOf } from './check-tables.ts'
import type { ComparedTable } from './comparison.ts'
import type { Difference, Pair } from './difference.ts'

/** The differences that `createTables` makes go away, in its order. */
export interface Missing {
  readonly tables: readonly TableLayout[]
  /** Also those of missing tables, except unique ones for all rows: a table is created with them. */
  readonly indexes: readonly NewIndex[]
  /** SQLite: also those of missing tables. */
  readonly searches: readonly SearchTable[]
}

export function lacksNothing({ tables, indexes, searches }: Missing): boolean {
  return tables.length + indexes.length + searches.length === 0
}

/** `created`: the tables that are not there. */
export function missingOf(
  comparison: ComparedTable,
  differences: readonly Difference[] = differencesOf(comparison),
  created = tablesNotThere(comparison),
): Missing {
  const { database, layout, found, nameOf } = comparison
  const lacking = differences.flatMap(newIndex)
  const isTrigrams = ({ wanted }: NewIndex) => wanted?.trigrams !== undefined
  const ofNew = (wanted: readonly WantedIndex[]) => wanted.map((one) => declaredIndex(database, one, nameOf))
  const conditional = (table: TableLayout) => table.uniques.filter(({ where }) => where.length > 0)
  return {
    tables: created,
    indexes: [
      ...created.flatMap((table) => table.indexes.map((columns) => plainIndex(table, columns, nameOf))),
      ...created.flatMap((table) => conditional(table).map((one) => uniqueIndex(database, table, one, nameOf))),
      ...lacking.filter(({ wanted }) => wanted === undefined),
      ...created.flatMap((table) => ofNew(wantedIndexes(database, table).filter((one) => !isUniqueKey(database, one)))),
      ...lacking.filter((one) => one.wanted !== undefined && !isTrigrams(one)),
      ...created.flatMap((table) => ofNew(wantedTrigrams(table, found.trigrams))),
      ...lacking.filter(isTrigrams),
    ],
    searches: [...layout.values()].flatMap((table) => {
      const there = created.includes(table) ? undefined : found.tables.get(table.key)
      return database === 'sqlite' && table.isWritable ? (missingSearch(found.searches, table, there) ?? []) : []
    }),
  }
}

function tablesNotThere({ layout, found }: ComparedTable): readonly TableLayout[] {
  return [...layout.values()].filter(({ isWritable, key }) => isWritable && !found.tables.has(key))
}

/** The index that a table lacks, if no other one does as well. */
function newIndex(difference: Difference): readonly NewIndex[] {
  if (difference.kind === 'index') {
    const { at, index } = difference
    return index === undefined || (index.wanted === undefined && isLed(index, at)) ? [] : [index]
  }
  if (difference.kind !== 'unique') return []
  const { at, index } = difference
  return uniqueKeysOf(at.found, index.unique).length > 0 ? [] : [index]
}

/** Whether another index that is missing, or that the descriptor declares, begins with the columns of a foreign key. */
function isLed({ columns }: NewIndex, { table, found }: Pair): boolean {
  const uniques = table.uniques.filter((unique) => uniqueKeysOf(found, unique).length === 0)
  const known = [...columnsIn(uniques), ...table.declaredIndexes]
  return known.some((key) => columns.every((one, index) => key[index] === one))
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
