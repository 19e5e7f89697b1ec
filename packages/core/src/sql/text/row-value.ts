import { sql } from 'kysely'
import { join, type Sql } from './sql-text.ts'

/**
 * Several values as one, `(a, b)`, which both databases compare part by part: https://www.sqlite.org/rowvalue.html,
 * https://www.postgresql.org/docs/current/functions-comparisons.html#ROW-WISE-COMPARISON. One value is itself.
 */
export function rowValue(parts: readonly [Sql, ...Sql[]]): Sql {
  const [only] = parts
  if (parts.length === 1) return only
  const value = sql`(${join(parts)})`
  partsOfValues.set(value, parts)
  return value
}

/** What {@link rowValue} was made of; of any other piece of SQL, the piece itself. */
export function partsOf(value: Sql): readonly [Sql, ...Sql[]] {
  return partsOfValues.get(value) ?? [value]
}

/** ORDER BY takes the parts beside each other: only these are in the order of an index. */
const partsOfValues = new WeakMap<Sql, readonly [Sql, ...Sql[]]>()
