import type { CatalogTable } from '../read/catalog.ts'
import type { TableId } from './table-id.ts'

/** A table that becomes a resource. */
export interface KeptTable {
  readonly table: CatalogTable
  readonly key: string
  readonly id: TableId
}
