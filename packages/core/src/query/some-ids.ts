import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { join, type Sql, slot } from './sql-text.ts'

/**
 * So many rows that are updated, and ids, are parameters of their own: PostgreSQL plans a statement anew each time if its
 * cost depends on how much is in one parameter.
 */
export const MOST_BOUND = 8

/** 1, 2, 4 or 8 of them: the last one stands there several times, which changes nothing and makes for few statements. */
export function filledUp<Item>(items: readonly Item[]): readonly Item[] {
  let wanted = 1
  while (wanted < items.length) wanted *= 2
  if (wanted === items.length) return items
  const filled = items.slice()
  while (filled.length < wanted) filled.push(items.at(-1) as Item)
  return filled
}

/** A condition on a column, to stand behind it. */
export interface SomeIds {
  /** Equal SQL has equal names. */
  readonly name: string
  readonly values: readonly unknown[]
  /** Its slots are numbered from `first` on. */
  sql(first: number): Sql
}

/** Whether a column is one of some ids. */
export function someIds(dialect: Dialect, ids: readonly number[]): SomeIds {
  if (ids.length > MOST_BOUND) {
    return { name: 'many', values: [dialect.encodeIds(ids)], sql: (first) => sql`in (${dialect.ids(slot(first))})` }
  }
  const values = filledUp(ids)
  return {
    name: String(values.length),
    values,
    sql: (first) => sql`in (${join(values.map((_, index) => dialect.id(slot(first + index))))})`,
  }
}
