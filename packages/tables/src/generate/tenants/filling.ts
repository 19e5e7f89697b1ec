import type { Comparison } from '../../check/comparison.ts'
import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import type { FileKind } from '../change.ts'
import type { NameNow, Setting } from '../setting.ts'

/** What the functions know that give rows a tenant. */
export interface Filling extends Omit<Setting, 'planned'> {
  /** The tables without the column, or with rows that may have none. */
  readonly lacking: readonly TableLayout[]
  readonly tenants: TableLayout
  /** The column of the tenant for which a value may be given. */
  readonly columnIn: (table: TableLayout) => ColumnLayout | undefined
  readonly comparison: Comparison
  readonly file: FileKind
  readonly nameNow: NameNow
}
