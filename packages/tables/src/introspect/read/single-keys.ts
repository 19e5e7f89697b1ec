import type { DeleteAction } from '../../catalogs/found-tables.ts'
import type { Catalog, CatalogTable } from './catalog.ts'

/** A foreign key of one column that names the primary key of another table, of one column as well. */
export interface SingleKey {
  readonly column: string
  /** The name of a table. */
  readonly target: string
  readonly onDelete: DeleteAction
}

/** The foreign keys of a table that relations can describe, the first for each column. */
export function singleKeys({ tables }: Catalog, table: CatalogTable): readonly SingleKey[] {
  const columns = new Set<string>()
  return table.foreignKeys.flatMap(({ columns: [column, another], target, targetColumns, onDelete }) => {
    const key = tables.get(target ?? '')?.primaryKey
    const isSingle = column !== undefined && another === undefined && target !== undefined
    if (!isSingle || columns.has(column) || key?.length !== 1 || key[0] !== targetColumns[0]) return []
    columns.add(column)
    return [{ column, target, onDelete }]
  })
}
