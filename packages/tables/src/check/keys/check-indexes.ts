import type { FoundColumn, FoundTable, FoundTables, Trigrams } from '../../catalogs/found-tables.ts'
import { isNameTaken } from '../../catalogs/found-tables.ts'
import { missingSearches } from '../../create/missing-tables.ts'
import { makeSearchTable } from '../../create/search-table.ts'
import {
  createTrigrams,
  hasIndex,
  indexDefinition,
  indexName,
  type WantedIndex,
  wantedIndexes,
  wantedTrigrams,
} from '../../create/wanted-indexes.ts'
import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import { quoted } from '../../quoted-names.ts'
import type { ComparedTable, Pair } from '../comparison.ts'
import { alteration, type FoundProblem, problem, qualifiedColumn } from '../table-problem.ts'

/** Indexes of the descriptor that are missing, and columns in them that do not sort by code point. */
export function checkIndexes({ table, found }: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  const { database } = comparison
  const { trigrams } = comparison.found
  const wanted = [...wantedIndexes(database, table, found), ...wantedTrigrams(table, trigrams, found)].filter(
    ({ keys }) => keys.every(({ column }) => found.columns.has(column.name)),
  )
  const texts = new Set(
    wanted.flatMap(({ keys }) => keys.flatMap(({ column, part }) => (part === 'value' ? [column] : []))),
  )
  return [
    ...wanted.filter((index) => !hasIndex(database, found, index)).map((index) => missing(found, index, comparison)),
    ...(table.searched.length > 0 && database === 'postgres' ? checkTrigrams(table, trigrams) : []),
    ...(table.searched.length > 0 && database === 'sqlite' ? checkSearch(table, comparison.found) : []),
    ...[...texts].flatMap((column) => checkCollation({ table, found }, column, comparison)),
  ]
}

/** PostgreSQL: why there can be no indexes for searches. */
function checkTrigrams(table: TableLayout, trigrams: Trigrams | undefined): readonly FoundProblem[] {
  if (trigrams?.schema !== undefined || trigrams?.mayCreate === true) return []
  const why =
    trigrams === undefined
      ? 'a database with an ICU locale needs PostgreSQL 17 or later for it'
      : 'the extension pg_trgm is missing, and this role may not create it'
  const what = `${table.name} has no index for searches over (${table.searched.join(', ')}): ${why}, so they read the whole table`
  const advice = trigrams && 'have an owner of the database run CREATE EXTENSION pg_trgm'
  return [problem({ kind: 'index', severity: 'warning', table, wanted: 'an index for searches', what, advice })]
}

/** SQLite: an index for searches that is missing, or is not as it should be. */
function checkSearch(table: TableLayout, found: FoundTables): readonly FoundProblem[] {
  const { isPossible } = found.searches
  const [search] = missingSearches(found, [table])
  if (isPossible && search === undefined) return []
  const why = isPossible ? '' : 'this SQLite lacks the trigrams of FTS5, so '
  const what = `${table.name} has no index for searches over (${table.searched.join(', ')}): ${why}they read the whole table`
  const fix = search && makeSearchTable(search, found.searches)
  return [problem({ kind: 'index', severity: 'warning', table, wanted: 'an index for searches', what, fix })]
}

function missing(found: FoundTable, index: WantedIndex, { database, nameOf }: ComparedTable): FoundProblem {
  const { table, keys, isDescending, trigrams } = index
  const names = keys.map(({ column }) => column.name)
  const order = trigrams ? ' for searches' : isDescending ? ' in descending order with nulls last' : ''
  const what = `${table.name} has no index over (${names.join(', ')})${order}`
  const so = trigrams ? 'they read the whole table' : 'filters and sorts by it may read the whole table'
  const only = names.length === 1 ? names[0] : undefined
  return problem({
    kind: 'index',
    severity: 'warning',
    table,
    column: only,
    wanted: `an index over (${names.join(', ')})${order}`,
    what: `${what}: ${so}`,
    fix: isNameTaken(found, indexName(index, nameOf))
      ? undefined
      : [createTrigrams(index) ?? [], `CREATE INDEX ${indexDefinition(database, index, nameOf)}`].flat(),
  })
}

/** PostgreSQL: an index serves one collation only, and strings sort by code point. */
function checkCollation(
  { table, found }: Pair,
  column: ColumnLayout,
  { database }: ComparedTable,
): readonly FoundProblem[] {
  const { collation, definition } = found.columns.get(column.name) as FoundColumn
  if (column.kind !== 'string' || collation === undefined || collation === 'C') return []
  const has = collation === 'default' ? "the database's collation" : `the collation ${collation}`
  const what = `${qualifiedColumn(table, column.name)} has ${has}, so sorts and comparisons by code point use no index of it`
  const type = `ALTER COLUMN ${quoted(column.name)} TYPE ${definition} COLLATE "C"`
  return [
    problem({
      kind: 'collation',
      severity: 'warning',
      table,
      column: column.name,
      wanted: 'C',
      found: collation,
      what,
      fix: alteration(database, table, type),
    }),
  ]
}
