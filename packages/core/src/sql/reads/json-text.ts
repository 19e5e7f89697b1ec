import { sql } from 'kysely'
import type { IdSql } from '../dialect/id-sql.ts'
import { column, constant, type Sql } from '../text/sql-text.ts'

// The database puts JSON together as text, piece by piece. On both databases this is faster than their JSON functions,
// and both give the same bytes. An expression that is called JSON here is such a text, and never NULL.

export const jsonNull: Sql = sql`'null'`

/** `end`: the text of further entries, which may be empty. */
export function jsonObject(entries: readonly (readonly [name: string, value: Sql])[], end?: Sql): Sql {
  // The text of further entries begins with a comma, which needs an entry before it.
  if (entries.length === 0)
    return concat([constant('{'), end === undefined ? constant('') : sql`substr(${end}, 2)`, constant('}')])
  const parts = entries.flatMap(([name, value], index) => [
    constant(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    value,
  ])
  return concat([...parts, ...(end === undefined ? [] : [end]), constant('}')])
}

/** A JSON array of one or more JSON expressions. */
export function jsonTuple(items: readonly Sql[]): Sql {
  return concat([...items.flatMap((item, index) => [constant(index === 0 ? '[' : ','), item]), constant(']')])
}

const ITEMS = 'items'
const JSON_TEXT = 'json'

/**
 * A query, to stand in parentheses, that gives one JSON array with an item for each row, in ascending order of another
 * expression. An item that is NULL is left out. `from` is the rest of the query that has the rows: its FROM and WHERE.
 *
 * An aggregate takes the rows of a sorted subquery in their order. SQLite keeps this order (`select.c`, where it omits
 * an ORDER BY). PostgreSQL keeps it as long as nothing is joined to the subquery (documentation, "Aggregate
 * Functions"). An ORDER BY inside the aggregate would cost SQLite a third more for each record.
 */
export function jsonArrayQuery(item: Sql, from: Sql, orderBy: Sql): Sql {
  return jsonArrayOfSortedQuery(
    column(ITEMS, JSON_TEXT),
    sql`from (select ${item} as ${sql.id(JSON_TEXT)} ${from} order by ${orderBy}) as ${sql.id(ITEMS)}`,
  )
}

/** The same over the rows of a subquery that sorts them. */
export function jsonArrayOfSortedQuery(item: Sql, fromSorted: Sql): Sql {
  return sql`select '[' || coalesce(string_agg(${item}, ','), '') || ']' ${fromSorted}`
}

/** The JSON that a query gives; `null` if it gives no row. */
export function jsonOrNull(query: Sql): Sql {
  return sql`coalesce((${query}), 'null')`
}

/** The JSON of an id that can be NULL. */
export function jsonIdOrNull({ jsonText }: IdSql, id: Sql): Sql {
  return sql`coalesce(${jsonText(id)}, 'null')`
}

/** Concatenates halves of halves, because databases limit the depth of an expression. */
function concat(parts: readonly Sql[]): Sql {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const middle = Math.ceil(parts.length / 2)
  return sql`(${concat(parts.slice(0, middle))} || ${concat(parts.slice(middle))})`
}
