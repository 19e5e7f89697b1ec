import type { FoundColumn, FoundTables, Trigrams } from '../../catalogs/found-tables.ts'
import { isNameTaken } from '../../catalogs/found-tables.ts'
import { makeSearchTable, missingSearch } from '../../create/search-table.ts'
import {
  createTrigrams,
  declaredIndex,
  hasIndex,
  type WantedIndex,
  wantedIndexes,
  wantedTrigrams,
} from '../../create/wanted-indexes.ts'
import type { ColumnLayout } from '../../layout/table-layout.ts'
import { quoted } from '../../quoted-names.ts'
import type { ComparedTable } from '../comparison.ts'
import { alteration, type Difference, type Pair, qualifiedColumn } from '../difference.ts'

/** Indexes of the descriptor that are missing, and columns in them that do not sort by code point. */
export function checkIndexes(at: Pair, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const { database } = comparison
  const { trigrams } = comparison.found
  const wanted = [...wantedIndexes(database, table, found), ...wantedTrigrams(table, trigrams, found)].filter(
    ({ keys }) => keys.every(({ column }) => found.columns.has(column.name)),
  )
  const texts = new Set(
    wanted.flatMap(({ keys }) => keys.flatMap(({ column, part }) => (part === 'value' ? [column] : []))),
  )
  return [
    ...wanted.filter((index) => !hasIndex(database, found, index)).map((index) => missing(at, index, comparison)),
    ...(table.searched.length > 0 && database === 'postgres' ? checkTrigrams(at, trigrams) : []),
    ...(table.searched.length > 0 && database === 'sqlite' ? checkSearch(at, comparison.found) : []),
    ...[...texts].flatMap((column) => checkCollation(at, column, comparison)),
  ]
}

/** PostgreSQL: why there can be no indexes for searches. */
function checkTrigrams(at: Pair, trigrams: Trigrams | undefined): readonly Difference[] {
  if (trigrams?.schema !== undefined || trigrams?.mayCreate === true) return []
  const why =
    trigrams === undefined
      ? 'a database with an ICU locale needs PostgreSQL 17 or later for it'
      : 'the extension pg_trgm is missing, and this role may not create it'
  const what = `${noSearch(at)}: ${why}, so they read the whole table`
  const advice = trigrams && 'have an owner of the database run CREATE EXTENSION pg_trgm'
  return [{ kind: 'index', severity: 'warning', at, wanted: 'an index for searches', what, advice }]
}

/** SQLite: an index for searches that is missing, or is not as it should be. */
function checkSearch(at: Pair, found: FoundTables): readonly Difference[] {
  const { isPossible } = found.searches
  const search = missingSearch(found.searches, at.table, at.found)
  if (isPossible && search === undefined) return []
  const what = `${noSearch(at)}: ${isPossible ? '' : 'this SQLite lacks the trigrams of FTS5, so '}they read the whole table`
  const fix = search && makeSearchTable(search, found.searches)
  return [{ kind: 'index', severity: 'warning', at, wanted: 'an index for searches', what, fix }]
}

function noSearch({ table }: Pair): string {
  return `${table.name} has no index for searches over (${table.searched.join(', ')})`
}

function missing(at: Pair, wanted: WantedIndex, { database, nameOf }: ComparedTable): Difference {
  const { isDescending, trigrams } = wanted
  const index = declaredIndex(database, wanted, nameOf)
  const { columns } = index
  const order = trigrams ? ' for searches' : isDescending ? ' in descending order with nulls last' : ''
  const over = `index over (${columns.join(', ')})${order}`
  const so = trigrams ? 'they read the whole table' : 'filters and sorts by it may read the whole table'
  const fix = [createTrigrams(wanted) ?? [], `CREATE INDEX ${index.definition}`].flat()
  return {
    ...{ kind: 'index', severity: 'warning', at, index, columns, wanted: `an ${over}` },
    what: `${at.table.name} has no ${over}: ${so}`,
    fix: isNameTaken(at.found, index.name) ? undefined : fix,
  }
}

/** PostgreSQL: an index serves one collation only, and strings sort by code point. */
function checkCollation(at: Pair, column: ColumnLayout, { database }: ComparedTable): readonly Difference[] {
  const { table } = at
  const { collation: found, definition } = at.found.columns.get(column.name) as FoundColumn
  if (column.kind !== 'string' || found === undefined || found === 'C') return []
  const has = found === 'default' ? "the database's collation" : `the collation ${found}`
  const what = `${qualifiedColumn(table, column.name)} has ${has}, so sorts and comparisons by code point use no index of it`
  const fix = alteration(database, table, `ALTER COLUMN ${quoted(column.name)} TYPE ${definition} COLLATE "C"`)
  return [{ kind: 'collation', severity: 'warning', at, column, wanted: 'C', found, what, fix }]
}
