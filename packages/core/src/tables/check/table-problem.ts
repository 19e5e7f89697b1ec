import type { DatabaseName } from '../../query/dialect/database.ts'
import { qualifiedName, type TableLayout } from '../create/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/** One difference between a database and a model. */
export interface TableProblem {
  /** The table, as the database calls it; left out where the problem is the connection's. */
  readonly table?: string
  /** The column, as the database calls it, where it is one column's problem. */
  readonly column?: string
  /** A whole sentence: what is wrong with which table or column, and the SQL that fixes it if that is short. */
  readonly message: string
  /** `error`: a promise is broken or requests fail. `warning`: they do with some values only, or are slow. */
  readonly severity: 'error' | 'warning'
}

export function problem(
  severity: TableProblem['severity'],
  table: TableLayout,
  column: string | undefined,
  message: string,
): TableProblem {
  return { table: qualifiedName(table), ...(column === undefined ? {} : { column }), message, severity }
}

/** `table.column`, for a sentence. */
export function qualifiedColumn(table: TableLayout, column: string): string {
  return `${table.name}.${column}`
}

/** The end of a sentence: the ALTER TABLE that fixes the problem. Empty for SQLite, which would need a new table. */
export function alteration(database: DatabaseName, table: TableLayout, action: string): string {
  return database === 'postgres' ? `: ALTER TABLE ${quotedTable(table)} ${action}` : ''
}
