import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundForeignKey, FoundTable, FoundTables } from '../catalogs/found-tables.ts'
import { type ConstraintNames, constraintNames } from '../create/constraint-names.ts'
import type { TableLayout } from '../layout/table-layout.ts'

/** A layout, in the database's names, beside what the catalogs say. */
export interface Comparison {
  readonly database: DatabaseName
  /** By the layout's `key`. */
  readonly layout: ReadonlyMap<string, TableLayout>
  readonly found: FoundTables
  /** By the `key` of the table that has them; `undefined` for tables that are not the model's. */
  readonly foreignKeysOf: ReadonlyMap<string | undefined, readonly FoundForeignKey[]>
  readonly nameOf: ConstraintNames
}

/** A table of the layout that the database has. */
export interface Pair {
  readonly table: TableLayout
  readonly found: FoundTable
}

export function compare(database: DatabaseName, tables: readonly TableLayout[], found: FoundTables): Comparison {
  return {
    database,
    layout: new Map(tables.map((table) => [table.key, table])),
    found,
    foreignKeysOf: Map.groupBy(found.foreignKeys, ({ table }) => table),
    nameOf: constraintNames(tables),
  }
}
