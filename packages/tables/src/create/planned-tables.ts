import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundTables } from '../catalogs/found-tables.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import type { ResolvedForeignKey } from './create-table.ts'
import { missingFrom } from './missing-tables.ts'

/** A table to create. */
export interface PlannedTable {
  readonly table: TableLayout
  /** Foreign keys that it is created with. */
  readonly inline: readonly ResolvedForeignKey[]
  /** Those to tables that are created behind it. */
  readonly late: readonly ResolvedForeignKey[]
}

/** The tables that are missing, in the order in which they are created. `keysLast`: no table is created with foreign keys to others. */
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
