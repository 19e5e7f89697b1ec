import type { FoundColumn, FoundTable } from './found-tables.ts'
import { primaryKeyOf } from './found-tables.ts'

/** Whether no row can be inserted that has no value for the column. */
export function needsValue(table: FoundTable, column: FoundColumn): boolean {
  const { notNull, hasDefault, isComputed } = column
  return notNull && !hasDefault && !isComputed && !isRowNumber(table, column)
}

/** SQLite: whether the column is another name of the row's number, which each row has
 * (https://www.sqlite.org/lang_createtable.html#rowid). */
export function isRowNumber(table: FoundTable, { name, type }: FoundColumn): boolean {
  return primaryKeyOf(table).join() === name && /^integer$/i.test(type) && !table.hasNoRowNumbers && !table.isKeyIndexed
}
