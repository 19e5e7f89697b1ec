import { sql } from 'kysely'
import type { Count } from '../../asking/count.ts'
import type { QueryContext } from '../context.ts'
import { column, type Sql, slot } from '../text/sql-text.ts'

// What the answers of lists and of groups are made of.

export const COUNTED = 'crud_counted'

/** An aggregate: a JSON array of the JSON of each row. */
export function rowsJson(row: Sql): Sql {
  return sql`'[' || coalesce(string_agg(${row}, ','), '') || ']'`
}

export function countJson(count: Sql): Sql {
  return sql`',"count":' || ${count}`
}

/** `,"count":n`, or nothing. `from`: the rest of a query that has the rows to be counted. Slot `most`. */
export function countOf(context: QueryContext, from: Sql, count: Count): Sql {
  if (count === 'none') return sql`''`
  if (count === 'exact') return countJson(sql`(select count(*) ${from})`)
  const most = context.dialect.quantity(slot('most'))
  const counted = sql`select count(*) as ${sql.id('count')} from (select 1 ${from} limit ${mostCounted(context)}) as ${sql.id(COUNTED)}`
  const found = column(COUNTED, 'count')
  // better-sqlite3 binds numbers as floats: as a text, 100 would be 100.0.
  const atLeast = sql`cast(cast(${most} as bigint) as text) || ',"countIs":"atLeast"'`
  return sql`(select ${countJson(sql`case when ${found} > ${most} then ${atLeast} else cast(${found} as text) end`)} from (${counted}) as ${sql.id(COUNTED)})`
}

/** How many rows are read for a count up to slot `most`: one more tells that there are more. */
export function mostCounted({ dialect }: QueryContext): Sql {
  return sql`${dialect.quantity(slot('most'))} + 1`
}
