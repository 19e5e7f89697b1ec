import type { FoundIndex, FoundTable } from './found-tables.ts'

/** Whether an index finds the rows with a value of this column: the column leads it, and it holds every row. */
export function isIndexed(table: FoundTable, column: string): boolean {
  return table.indexes.some((index) => index.isUsable && !index.isPartial && index.columns[0] === column)
}

/** The unique keys that keep these columns unique: over all of them or fewer, at once and for every row. */
export function uniqueKeysOf(table: FoundTable, columns: readonly string[]): readonly FoundIndex[] {
  return table.indexes.filter((index) => isPlainUnique(index) && index.columns.every((one) => isIn(columns, one)))
}

/** A unique key over columns alone that holds for every row and is checked at once. */
export function isPlainUnique({ isUnique, isPartial, isDeferrable, columns }: FoundIndex): boolean {
  return isUnique && !isPartial && !isDeferrable && !columns.includes(undefined)
}

export function isIn(columns: readonly string[], column: string | undefined): boolean {
  return column !== undefined && columns.includes(column)
}
