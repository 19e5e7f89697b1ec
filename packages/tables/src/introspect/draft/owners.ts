import type { CatalogTable } from '../read/catalog.ts'
import type { SingleKey } from '../read/single-keys.ts'

/**
 * Which foreign key of each table names the owner of its rows, if one does: its only cascading one, if it is never null; or, of a table whose
 * key is a pair of foreign keys, the first of them. A longer circle of owners is none.
 */
export function ownersOf(
  tables: ReadonlyMap<CatalogTable, readonly SingleKey[]>,
): ReadonlyMap<CatalogTable, SingleKey> {
  const owners = new Map<CatalogTable, SingleKey>()
  const ownerOf = new Map<string, string>()
  for (const [table, keys] of tables) {
    const owner = ownerAmong(table, keys)
    if (owner === undefined || reaches(ownerOf, owner.target, table.name)) continue
    owners.set(table, owner)
    if (owner.target !== table.name) ownerOf.set(table.name, owner.target)
  }
  return owners
}

function ownerAmong(table: CatalogTable, keys: readonly SingleKey[]): SingleKey | undefined {
  const [cascading, another] = keys.filter(({ onDelete }) => onDelete === 'CASCADE')
  const isOnly = cascading !== undefined && another === undefined
  if (isOnly && cascading.target === table.name) return isNotNull(table, cascading) ? undefined : cascading
  if (isOnly) return isNotNull(table, cascading) ? cascading : undefined
  const pair = table.primaryKey.map((column) => keys.find((key) => key.column === column))
  return pair.length === 2 && pair.every((key) => key !== undefined && key.target !== table.name) ? pair[0] : undefined
}

function isNotNull({ found, primaryKey }: CatalogTable, { column }: SingleKey): boolean {
  return primaryKey.includes(column) || found.columns.get(column)?.notNull === true
}

/** Whether the table is among the owners of that one's owners. */
function reaches(ownerOf: ReadonlyMap<string, string>, from: string, table: string): boolean {
  for (let one = ownerOf.get(from); one !== undefined; one = ownerOf.get(one)) if (one === table) return true
  return false
}
