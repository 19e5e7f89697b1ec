import { sql } from 'kysely'
import { constant, type Sql } from './sql-text.ts'

// JSON is put together by the database as text, piece by piece: on both databases that is faster than their functions
// for it, and it gives the same bytes. An expression that is called JSON here is such a text, and never NULL.

export const jsonNull: Sql = sql`'null'`

export function jsonObject(entries: readonly (readonly [name: string, value: Sql])[]): Sql {
  const parts = entries.flatMap(([name, value], index) => [
    constant(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    value,
  ])
  return concat([...parts, constant('}')])
}

/** Of one JSON expression or more, in this order. */
export function jsonTuple(items: readonly Sql[]): Sql {
  return concat([...items.flatMap((item, index) => [constant(index === 0 ? '[' : ','), item]), constant(']')])
}

/** Aggregates JSON over the rows of a query, in ascending order of another expression; `[]` if there are none. */
export function jsonAggregate(item: Sql, orderBy: Sql): Sql {
  return sql`'[' || coalesce(string_agg(${item}, ',' order by ${orderBy}), '') || ']'`
}

/** JSON of a query that has one row, or none: then `null`. */
export function jsonOrNull(query: Sql): Sql {
  return sql`coalesce((${query}), 'null')`
}

/** An id that can be NULL. */
export function jsonIdOrNull(id: Sql): Sql {
  return sql`coalesce(cast(${id} as text), 'null')`
}

/** Concatenates halves of halves, as databases limit how deep an expression may be. */
function concat(parts: readonly Sql[]): Sql {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const middle = Math.ceil(parts.length / 2)
  return sql`(${concat(parts.slice(0, middle))} || ${concat(parts.slice(middle))})`
}
