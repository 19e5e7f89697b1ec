import { isNameTaken } from '../../catalogs/found-indexes.ts'
import type { FoundColumn, FoundTable } from '../../catalogs/found-tables.ts'
import { hasIndex } from '../../catalogs/serves-index.ts'
import type { ColumnLayout } from '../../create/table-layout.ts'
import { indexDefinition, indexName, type WantedIndex, wantedIndexes } from '../../create/wanted-indexes.ts'
import { quoted } from '../../quoted-names.ts'
import type { Comparison, Pair } from '../comparison.ts'
import { alteration, type FoundProblem, problem, qualifiedColumn } from '../table-problem.ts'

/** Indexes of the descriptor that are missing, and columns in them that do not sort by code point. */
export function checkIndexes({ table, found }: Pair, comparison: Comparison): readonly FoundProblem[] {
  const { database } = comparison
  const wanted = wantedIndexes(database, table, found).filter(({ keys }) =>
    keys.every(({ column }) => found.columns.has(column.name)),
  )
  const texts = new Set(
    wanted.flatMap(({ keys }) => keys.flatMap(({ column, part }) => (part === 'value' ? [column] : []))),
  )
  return [
    ...wanted.filter((index) => !hasIndex(database, found, index)).map((index) => missing(found, index, comparison)),
    ...[...texts].flatMap((column) => checkCollation({ table, found }, column, comparison)),
  ]
}

function missing(found: FoundTable, index: WantedIndex, { database, nameOf }: Comparison): FoundProblem {
  const { table, keys, isDescending } = index
  const names = keys.map(({ column }) => column.name)
  const order = isDescending ? ' in descending order with nulls last' : ''
  const what = `${table.name} has no index over (${names.join(', ')})${order}`
  const so = 'filters and sorts by it may read the whole table'
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
      : `CREATE INDEX ${indexDefinition(database, index, nameOf)}`,
  })
}

/** PostgreSQL: an index serves one collation only, and strings sort by code point. */
function checkCollation(
  { table, found }: Pair,
  column: ColumnLayout,
  { database }: Comparison,
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
