import type { UniqueLayout } from '../layout/table-layout.ts'
import { type FoundCondition, isSameCondition } from './found-conditions.ts'
import type { FoundIndex, FoundTable } from './found-tables.ts'

/** Whether an index finds the rows with values of these columns: they lead it, in any order, and it holds every row. */
export function isIndexed(table: FoundTable, columns: readonly string[]): boolean {
  return table.indexes.some((index) => {
    return (
      index.isUsable && !index.isPartial && index.columns.slice(0, columns.length).every((one) => isIn(columns, one))
    )
  })
}

/**
 * The unique keys that keep these columns unique: over all of them or fewer, for every row behind each statement, or for at least the
 * rows that fulfil the condition.
 */
export function uniqueKeysOf(table: FoundTable, { columns, where }: UniqueLayout): readonly FoundIndex[] {
  const holds = (one: FoundCondition) =>
    (one.is === 'not null' && table.columns.get(one.column)?.notNull === true) ||
    where.some((wanted) => isSameCondition(one, wanted))
  return table.indexes.filter((index) => {
    const holdsRows = !index.isPartial || index.where?.every(holds) === true
    return holdsRows && isUniqueBehindStatements(index) && index.columns.every((one) => isIn(columns, one))
  })
}

/** A unique key over columns alone that holds for every row and is checked at once. */
export function isPlainUnique(index: FoundIndex): boolean {
  return isUniqueBehindStatements(index) && !index.isDeferrable && !index.isPartial
}

/** The same, or one that is checked behind each statement: `DEFERRABLE INITIALLY IMMEDIATE`. */
function isUniqueBehindStatements({ isUnique, isDeferred, columns }: FoundIndex): boolean {
  return isUnique && !isDeferred && !columns.includes(undefined)
}

/** Whether an index of the table has this name, which then no other can have. */
export function isNameTaken(table: FoundTable, name: string): boolean {
  return table.indexes.some((index) => index.name === name)
}

export function isIn(columns: readonly string[], column: string | undefined): boolean {
  return column !== undefined && columns.includes(column)
}

/** The columns of the primary key, in its order; empty without one. */
export function primaryKeyOf(table: FoundTable | undefined): readonly string[] {
  const key = table?.indexes.find(({ isPrimary }) => isPrimary)
  return key === undefined ? [] : key.columns.filter((column) => column !== undefined)
}

/** Whether these are the columns, in any order. */
export function isSameSet(found: FoundIndex['columns'], columns: readonly string[]): boolean {
  return found.length === columns.length && columns.every((column) => found.includes(column))
}
