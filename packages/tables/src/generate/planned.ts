import { type DatabaseName, modifierOf } from '@fastify-crud/core/internal'
import {
  type FoundColumn,
  type FoundForeignKey,
  type FoundTable,
  type FoundTables,
  isSameSet,
} from '../catalogs/found-tables.ts'
import { differencesOf } from '../check/check-tables.ts'
import {
  type ComparedTable,
  compare,
  type RenamedColumn,
  renamedColumns,
  withRenamedColumns,
} from '../check/comparison.ts'
import { type Difference, type DifferenceOf, namesOfColumns } from '../check/difference.ts'
import type { NameNow } from '../check/keys/whole-keys.ts'
import { type Missing, missingOf } from '../check/missing.ts'
import { type PlannedTable, plannedTables } from '../create/create-table.ts'
import { columnType } from '../layout/column-type.ts'
import type { ColumnLayout, ForeignKeyLayout, TableLayout } from '../layout/table-layout.ts'
import type { Change } from './change.ts'

/** All differences of a database and a model, once what is behind others has been planned: an index over a new column,
 * a key of a renamed one. */
export interface PlannedChanges {
  readonly comparison: ComparedTable
  readonly renamed: readonly RenamedColumn[]
  readonly created: readonly PlannedTable[]
  /** How unique keys go that this library has made and the model has no more. */
  readonly dropped: readonly Change[]
  /** Without those of new tables, and of what is done already. */
  readonly differences: readonly Difference[]
  /** Also the indexes of new tables and new columns. */
  readonly missing: Missing
}

/**
 * Compares, and compares again with the tables as they will be, in memory alone.
 *
 * `inTenants`: the tables once their rows have tenants. `drop`: how a unique key goes, if this library has made it
 * under the name.
 */
export function planned(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
  inTenants: (found: FoundTables) => FoundTables,
  drop: (difference: DifferenceOf<'extra unique'>, name: string) => Change | undefined,
): PlannedChanges {
  const now = compare(database, tables, found)
  const renamed = renamedColumns(now)
  const nameNow = namesBefore(renamed)
  const afterRenames = inTenants(withRenamedColumns(found, renamed))
  const first = differencesOf(compare(database, tables, afterRenames))
  const dropped = first.flatMap((one) => {
    if (one.kind !== 'extra unique') return []
    const columns = namesOfColumns(one).map((column) => nameNow(one.at.table, column))
    const change = drop(one, now.nameOf(one.at.table, 'key', columns))
    return change === undefined ? [] : [{ one, change }]
  })
  const added = first.filter((one) => one.kind === 'column')
  const gone = [...dropped.map(({ one }) => one), ...added]
  const afterColumns = gone.reduce((tablesFound, one) => without(tablesFound, one, now), afterRenames)
  const created = plannedTables(database, tables, found)
  const comparison = compare(database, tables, withTables(afterColumns, created))
  const isNew = new Set(created.map(({ table }) => table))
  const all = differencesOf(comparison)
  const later = all
    .filter(({ at }) => at === undefined || !isNew.has(at.table))
    .filter((one) => OF_KEYS.has(one.kind) || !added.some((column) => isOnlyOf(one, column)))
  return {
    comparison,
    renamed,
    created,
    dropped: dropped.map(({ change }) => change),
    differences: [...added, ...later],
    missing: missingOf(comparison, all, [...isNew]),
  }
}

/** What a column needs besides itself. */
const OF_KEYS: ReadonlySet<Difference['kind']> = new Set(['key', 'unique', 'foreign key'])

function isOnlyOf(difference: Difference, { at, column }: DifferenceOf<'column'>): boolean {
  const [name, another] = namesOfColumns(difference)
  return difference.at?.table === at.table && name === column.name && another === undefined
}

/** What the database calls columns before the migration. */
export function namesBefore(renamed: readonly RenamedColumn[]): NameNow {
  return ({ key }, name) => renamed.find((one) => one.table.key === key && one.to === name)?.from ?? name
}

/** The tables once a difference is gone. A column is added with its foreign key. */
function without(
  found: FoundTables,
  difference: DifferenceOf<'column' | 'extra unique'>,
  { database, layout }: ComparedTable,
): FoundTables {
  const { table } = difference.at
  const existing = found.tables.get(table.key)
  if (existing?.isTable !== true) return found
  const tablesWith = (changed: Partial<FoundTable>) => new Map(found.tables).set(table.key, { ...existing, ...changed })
  if (difference.kind === 'extra unique') {
    const { name } = difference.index
    return { ...found, tables: tablesWith({ indexes: existing.indexes.filter((one) => one.name !== name) }) }
  }
  const { column } = difference
  const columns = new Map(existing.columns).set(column.name, asCreated(database, column))
  const keys = table.foreignKeys.filter((key) => isSameSet(key.columns, [column.name]))
  const foreignKeys = [...found.foreignKeys, ...keys.map((key) => asFoundKey(table, key, layout))]
  return { ...found, tables: tablesWith({ columns }), foreignKeys }
}

export function asFoundKey(
  table: TableLayout,
  { columns, target, targetColumns }: ForeignKeyLayout,
  layout: ComparedTable['layout'],
): FoundForeignKey {
  const targetName = layout.get(target)?.name ?? target
  const names = { name: undefined, definition: undefined, table: table.key, tableName: table.name, target, targetName }
  return { ...names, columns, targetColumns, onDelete: 'NO ACTION', isEnforced: true }
}

export function asCreated(database: DatabaseName, column: ColumnLayout): FoundColumn {
  const type = columnType(database, column)
  const [, name = type, precision, scale] = WITH_DIGITS.exec(type) ?? []
  return {
    name: column.name,
    type: CATALOG_NAMES[name] ?? name,
    definition: type,
    collation: database === 'postgres' && type === 'text' ? 'C' : undefined,
    isExact: true,
    modifier: precision === undefined ? -1 : modifierOf(Number(precision), Number(scale)),
    isEnum: false,
    notNull: !column.nullable,
    hasDefault: false,
    isComputed: false,
    isAlwaysIdentity: false,
    sequence: undefined,
  }
}

/** `numeric(10, 2)` */
const WITH_DIGITS = /^(numeric)\((\d+), (\d+)\)$/

/** What PostgreSQL's catalog calls types. */
const CATALOG_NAMES: Readonly<Record<string, string>> = {
  bigint: 'int8',
  'double precision': 'float8',
  boolean: 'bool',
}

/** Enough of the new tables for foreign keys to them. */
function withTables(found: FoundTables, created: readonly PlannedTable[]): FoundTables {
  const empty = {
    isTable: true,
    isPartitioned: false,
    isStrict: false,
    hasNoRowNumbers: false,
    isAutoIncrement: true,
    isKeyIndexed: false,
    indexes: [],
  }
  const tables = created.map(({ table }): [string, FoundTable] => [table.key, { ...empty, columns: new Map() }])
  return { ...found, tables: new Map([...found.tables, ...tables]) }
}
