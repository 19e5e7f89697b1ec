import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundForeignKey, FoundTable, FoundTables } from '../catalogs/found-tables.ts'
import { type ConstraintNames, constraintNames } from '../create/constraint-names.ts'
import { isIdColumn, type TableLayout } from '../layout/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import { withTypesOfKeys } from './keys/types-of-keys.ts'

/** A layout, in the database's names, beside what the catalogs say. */
export interface ComparedTable {
  readonly database: DatabaseName
  /** By the layout's `key`. */
  readonly layout: ReadonlyMap<string, TableLayout>
  readonly found: FoundTables
  /** By the `key` of the table that has them; `undefined` for tables that are not the model's. */
  readonly foreignKeysOf: ReadonlyMap<string | undefined, readonly FoundForeignKey[]>
  readonly nameOf: ConstraintNames
}

export function compare(database: DatabaseName, tables: readonly TableLayout[], found: FoundTables): ComparedTable {
  return {
    database,
    layout: new Map(tables.map((table) => [table.key, table])),
    found,
    foreignKeysOf: Map.groupBy(found.foreignKeys, ({ table }) => table),
    nameOf: constraintNames(tables),
  }
}

/** The tables, with columns of the types that the keys of the database have. */
export function typedAsFound(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
): readonly TableLayout[] {
  return withTypesOfKeys(database, tables, withRenamedColumns(found, renamedColumns(compare(database, tables, found))))
}

/** A column that the database has under the name that its field had before. */
export interface RenamedColumn {
  readonly table: TableLayout
  readonly from: string
  readonly to: string
}

/** `was` counts only while the old column is there, the new one is not, and no other field has the old one. The first
 * field gets it. */
export function renamedColumns({ layout, found }: ComparedTable): readonly RenamedColumn[] {
  return [...layout.values()].flatMap((table) => {
    const existing = found.tables.get(table.key)
    if (existing?.isTable !== true || !table.isWritable) return []
    const taken = new Set<string>()
    return table.columns.flatMap((column) => {
      const was = isIdColumn(column) ? undefined : column.was
      if (was === undefined || existing.columns.has(column.name) || !existing.columns.has(was)) return []
      if (taken.has(was) || table.columns.some(({ name }) => name === was)) return []
      taken.add(was)
      return [{ table, from: was, to: column.name }]
    })
  })
}

export function renameColumn(table: TableLayout, from: string, to: string): string {
  return `ALTER TABLE ${quotedTable(table)} RENAME COLUMN ${quoted(from)} TO ${quoted(to)}`
}

/** The tables as they are once the columns have their new names. */
export function withRenamedColumns(found: FoundTables, renamed: readonly RenamedColumn[]): FoundTables {
  const names = Map.groupBy(renamed, ({ table }) => table.key)
  const nameIn = (key: string | undefined) => (name: string) =>
    names.get(key ?? '')?.find(({ from }) => from === name)?.to ?? name
  const tables = new Map([...found.tables].map(([key, table]) => [key, renameIn(table, nameIn(key))]))
  const foreignKeys = found.foreignKeys.map((key): FoundForeignKey => {
    const { columns, targetColumns, table, target } = key
    return { ...key, columns: columns.map(nameIn(table)), targetColumns: targetColumns.map(nameIn(target)) }
  })
  return { ...found, tables, foreignKeys }
}

function renameIn(table: FoundTable, named: (name: string) => string): FoundTable {
  return {
    ...table,
    columns: new Map([...table.columns].map(([name, column]) => [named(name), { ...column, name: named(name) }])),
    indexes: table.indexes.map((index) => ({
      ...index,
      columns: index.columns.map((column) => column && named(column)),
      keys: index.keys.map(({ column, expression, ...key }) => ({
        ...key,
        column: column && named(column),
        expression: expression?.replaceAll(NAME, (name) => quotedAs(name, named)),
      })),
    })),
  }
}

/** A name in an expression, or a word. */
const NAME = /"(?:[^"]|"")*"|[\w$\u0080-\uffff]+/g

/** What is no column keeps its spelling. */
function quotedAs(name: string, named: (name: string) => string): string {
  const plain = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
  return named(plain) === plain ? name : quoted(named(plain))
}
