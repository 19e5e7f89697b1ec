import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundProblem } from '../check/table-problem.ts'
import { type ColumnLayout, qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import type { Fills } from './fills.ts'
import type { Planned } from './planned.ts'
import type { TableTexts } from './rebuild/table-texts.ts'
import type { RowsThere } from './rows-there.ts'

/** What the functions know that make changes of differences. */
export interface Setting {
  readonly database: DatabaseName
  readonly planned: Planned
  readonly fills: Fills
  readonly rows: RowsThere
  /** Whether rows are changed in portions, while others write. Undefined: those of large tables are. */
  readonly online: boolean | undefined
  /** SQLite: how the tables were created. */
  readonly texts: TableTexts
}

/** What the database calls a column before the migration. */
export type NameNow = (table: TableLayout, column: string) => string

/** The table of a difference, and its column if it is about one of the model's. */
export function placeOf(
  { table: name, column: columnName }: FoundProblem,
  { planned }: Setting,
): { readonly table: TableLayout | undefined; readonly column: ColumnLayout | undefined } {
  const table = [...planned.comparison.layout.values()].find((one) => qualifiedName(one) === name)
  return { table, column: table?.columns.find((one) => one.name === columnName) }
}

/**
 * PostgreSQL: whether a table has rows that others may write meanwhile, so that indexes are built and keys are checked beside them. It cannot do
 * that for partitioned tables.
 */
export async function isBusy({ database, planned, rows }: Setting, table: TableLayout): Promise<boolean> {
  const isPartitioned = planned.comparison.found.tables.get(table.key)?.isPartitioned === true
  return database === 'postgres' && !isPartitioned && (await rows.hasRows(table))
}

/** PostgreSQL: whether the rows of a table are changed in portions, so that nobody waits until all are done. */
export async function isOnline({ database, online, rows }: Setting, table: TableLayout): Promise<boolean> {
  if (database === 'sqlite' || online === false) return false
  return online === true ? rows.hasRows(table) : rows.isLarge(table)
}

/** What the database calls a column before the migration. */
export function nameNow({ planned }: Setting, table: TableLayout, name: string): string {
  return planned.renamed.find((one) => one.table === table && one.to === name)?.from ?? name
}
