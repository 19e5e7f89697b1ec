import { isRowNumber } from '../../catalogs/found-columns.ts'
import { isPlainUnique } from '../../catalogs/found-indexes.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import { type SingleKey, singleKeys } from '../read/single-keys.ts'
import type { LinkTable } from './draft.ts'

/**
 * The table as one of links: its rows are pairs of foreign keys, and the database gives every other column a value. The pair is the primary
 * key or a unique key beside an id.
 */
export function linkTableOf(catalog: Catalog, table: CatalogTable): LinkTable | undefined {
  const keys = singleKeys(catalog, table)
  const pairs = table.found.indexes
    .filter((index) => isPlainUnique(index) && index.columns.length === 2)
    .map(({ columns }) => columns.map((column) => keys.find((key) => key.column === column)))
  const pair = pairs.find((both): both is [SingleKey, SingleKey] => both.every((key) => key !== undefined))
  if (pair === undefined || !isGivenElse(table, pair)) return undefined
  const [from, to] = pair
  return {
    table: table.name,
    from: { column: from.column, table: from.target },
    to: { column: to.column, table: to.target },
  }
}

/** Whether an INSERT of the pair alone gives a whole row. */
function isGivenElse({ found, primaryKey }: CatalogTable, pair: readonly SingleKey[]): boolean {
  return [...found.columns.values()].every((column) => {
    const { name, notNull, hasDefault, isComputed } = column
    if (pair.some(({ column }) => column === name)) return notNull || primaryKey.includes(name)
    return isRowNumber(found, column) || hasDefault || isComputed || (!notNull && !primaryKey.includes(name))
  })
}
