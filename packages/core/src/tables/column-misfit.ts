import type { DatabaseName } from '../query/database.ts'
import type { FoundColumn } from './found-tables.ts'
import { postgresMisfit } from './postgres-misfit.ts'
import { sqliteMisfit } from './sqlite-misfit.ts'
import type { ColumnLayout } from './table-layout.ts'

/** Why a column does not keep every value of its kind as it is. */
export interface Misfit {
  /** `error`: wrong for most values. `warning`: wrong for some that the model allows. */
  readonly severity: 'error' | 'warning'
  /** Goes on right after the column's name. */
  readonly what: string
}

export function columnMisfit(
  database: DatabaseName,
  column: ColumnLayout,
  found: FoundColumn,
  isStrict: boolean,
): Misfit | undefined {
  return database === 'postgres' ? postgresMisfit(column, found) : sqliteMisfit(column, found, isStrict)
}
