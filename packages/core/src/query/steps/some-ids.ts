import { sql } from 'kysely'
import type { Dialect } from '../dialect/dialect.ts'
import { join, type Sql, slot } from '../sql-text.ts'

/** So many rows that are updated, and ids, are parameters of their own: PostgreSQL finds them a tenth to a third faster. */
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

/** Ids as the values of a statement, and which statement that is: by how many are bound, 0 where they travel in one parameter. */
export interface SomeIds {
  readonly count: number
  readonly values: readonly unknown[]
}

export function someIds(dialect: Dialect, ids: readonly number[]): SomeIds {
  if (ids.length > MOST_BOUND) return { count: 0, values: [dialect.encodeIds(ids)] }
  const values = filledUp(ids)
  return { count: values.length, values }
}

/** Whether a column is one of so many ids, to stand behind it; its slots are numbered from `first` on. */
export function isOneOf(dialect: Dialect, count: number, first: number): Sql {
  if (count === 0) return sql`in (${dialect.ids(slot(first))})`
  const slots = Array.from({ length: count }, (_, index) => dialect.id(slot(first + index)))
  return sql`in (${join(slots)})`
}
