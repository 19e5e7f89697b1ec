import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundForeignKey, FoundTable, FoundTables } from '../catalogs/found-tables.ts'
import { checkStructure } from '../check/check-tables.ts'
import {
  type ComparedTable,
  compare,
  type RenamedColumn,
  renamedColumns,
  withRenamedColumns,
} from '../check/comparison.ts'
import type { FoundProblem } from '../check/table-problem.ts'
import { columnType } from '../create/create-table.ts'
import { type Missing, missingFrom, type PlannedTable, plannedTables } from '../create/missing-tables.ts'
import { type ColumnLayout, qualifiedName, type TableLayout } from '../layout/table-layout.ts'

/** All differences of a database and a model, once what is behind others has been planned: an index over a new column,
 * a key of a renamed one. */
export interface PlannedChanges {
  readonly comparison: ComparedTable
  readonly renamed: readonly RenamedColumn[]
  readonly created: readonly PlannedTable[]
  /** Without those of new tables, and of what is done already. */
  readonly problems: readonly FoundProblem[]
  /** Also the indexes of new tables and new columns. */
  readonly missing: Missing
}

/**
 * Compares, and compares again with the tables as they will be, in memory alone.
 *
 * `inTenants`: the tables once their rows have tenants. `isOurs`: whether a unique key that the model does not have is
 * one that this library has made, so that it goes.
 */
export function planned(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
  inTenants: (found: FoundTables) => FoundTables,
  isOurs: (problem: FoundProblem, renamed: readonly RenamedColumn[]) => boolean,
): PlannedChanges {
  const renamed = renamedColumns(compare(database, tables, found))
  const afterRenames = inTenants(withRenamedColumns(found, renamed))
  const first = checkStructure(compare(database, tables, afterRenames))
  const dropped = first.filter((problem) => problem.kind === 'extra unique' && isOurs(problem, renamed))
  const added = first.filter(({ kind, column }) => kind === 'column' && column !== undefined)
  const afterColumns = withColumns(withoutIndexes(afterRenames, tables, dropped), added, database, tables)
  const created = plannedTables(database, tables, found)
  const comparison = compare(database, tables, withTables(afterColumns, created))
  const isNew = new Set(created.map(({ table }) => qualifiedName(table)))
  const isAdded = new Set(added.map(keyOf))
  const later = checkStructure(comparison)
    .filter(({ table }) => table === undefined || !isNew.has(table))
    .filter((problem) => !isAdded.has(keyOf(problem)) || OF_KEYS.has(problem.kind))
  return {
    comparison,
    renamed,
    created,
    problems: [...dropped, ...added, ...later],
    missing: missingFrom(database, afterColumns, tables),
  }
}

/** What a column needs besides itself. */
const OF_KEYS: ReadonlySet<FoundProblem['kind']> = new Set(['key', 'unique', 'foreign key'])

function keyOf({ table, column }: FoundProblem): string {
  return JSON.stringify([table, column])
}

function withoutIndexes(
  found: FoundTables,
  tables: readonly TableLayout[],
  dropped: readonly FoundProblem[],
): FoundTables {
  return changedTables(found, tables, (existing, table) => {
    const names = dropped.filter((one) => one.table === qualifiedName(table)).map(({ name }) => name)
    return { ...existing, indexes: existing.indexes.filter(({ name }) => !names.includes(name)) }
  })
}

function withColumns(
  found: FoundTables,
  added: readonly FoundProblem[],
  database: DatabaseName,
  tables: readonly TableLayout[],
): FoundTables {
  const foreignKeys: FoundForeignKey[] = []
  const changed = changedTables(found, tables, (existing, table) => {
    const names = added.filter((one) => one.table === qualifiedName(table)).map(({ column }) => column)
    const columns = table.columns.filter(({ name }) => names.includes(name))
    foreignKeys.push(...foreignKeysOf(table, columns, tables))
    const asFound = columns.map((column) => [column.name, asCreated(database, column)] as const)
    return { ...existing, columns: new Map([...existing.columns, ...asFound]) }
  })
  return { ...changed, foreignKeys: [...changed.foreignKeys, ...foreignKeys] }
}

/** A column is added with its foreign key. */
function foreignKeysOf(
  table: TableLayout,
  columns: readonly ColumnLayout[],
  tables: readonly TableLayout[],
): readonly FoundForeignKey[] {
  return table.foreignKeys.flatMap(({ columns: ofKey, column, target, targetColumn }) => {
    if (ofKey.length > 1) return []
    const to = tables.find(({ key }) => key === target)
    if (to === undefined || !columns.some(({ name }) => name === column)) return []
    return [
      {
        ...{ name: undefined, definition: undefined, table: table.key, tableName: table.name, columns: [column] },
        ...{ target, targetName: to.name, targetColumns: [targetColumn], onDelete: 'NO ACTION', isEnforced: true },
      },
    ]
  })
}

export function asCreated(database: DatabaseName, column: ColumnLayout): FoundColumn {
  const type = String(columnType(database, column))
  return {
    name: column.name,
    type: CATALOG_NAMES[type] ?? type,
    definition: type,
    collation: database === 'postgres' && type === 'text' ? 'C' : undefined,
    isExact: true,
    modifier: -1,
    isEnum: false,
    notNull: !column.nullable,
    hasDefault: false,
    isComputed: false,
    isAlwaysIdentity: false,
    sequence: undefined,
  }
}

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

function changedTables(
  found: FoundTables,
  tables: readonly TableLayout[],
  change: (existing: FoundTable, table: TableLayout) => FoundTable,
): FoundTables {
  return {
    ...found,
    tables: new Map(
      [...found.tables].map(([key, existing]) => {
        const table = tables.find((one) => one.key === key)
        return [key, table === undefined || !existing.isTable ? existing : change(existing, table)]
      }),
    ),
  }
}
