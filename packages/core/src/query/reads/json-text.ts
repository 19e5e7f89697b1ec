import { sql } from 'kysely'
import { column, constant, type Sql } from '../sql-text.ts'

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

const ITEMS = 'items'
const JSON_TEXT = 'json'

/**
 * A query, to stand in parentheses, that gives one JSON array: of an item for each row, in ascending order of another
 * expression. `from` is the rest of the query that has the rows: its FROM and WHERE.
 *
 * An aggregate takes the rows of a sorted subquery as they come. SQLite keeps a subquery's order for that purpose (its
 * `select.c`, where it omits an ORDER BY), PostgreSQL where nothing is joined to it (documentation, "Aggregate
 * Functions"). To sort inside the aggregate, by text that is there already, costs SQLite a third more for each record.
 */
export function jsonArrayQuery(item: Sql, from: Sql, orderBy: Sql): Sql {
  return jsonArrayOfSortedQuery(
    column(ITEMS, JSON_TEXT),
    sql`from (select ${item} as ${sql.id(JSON_TEXT)} ${from} order by ${orderBy}) as ${sql.id(ITEMS)}`,
  )
}

/** A query as {@link jsonArrayQuery} gives it, over the rows of one subquery that sorts them. */
export function jsonArrayOfSortedQuery(item: Sql, fromSorted: Sql): Sql {
  return sql`select '[' || coalesce(string_agg(${item}, ','), '') || ']' ${fromSorted}`
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
