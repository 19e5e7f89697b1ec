import type { CatalogTable } from '../read/catalog.ts'
import { hasIds, type TableId } from './table-id.ts'

/** Whether requests write a table. */
export function isWritten({ id, readOnly }: KeptTable): boolean {
  return hasIds(id) && readOnly === undefined
}

/** A table that becomes a resource. */
export interface KeptTable {
  readonly table: CatalogTable
  readonly key: string
  readonly id: TableId
  /** Why requests only read it; undefined: they write it, if it has ids. */
  readonly readOnly: string | undefined
}
