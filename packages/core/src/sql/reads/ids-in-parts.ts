import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import type { Range } from '../filters/behind-cursor.ts'
import { orderBy } from '../filters/sort-sql.ts'
import { partsOf } from '../text/row-value.ts'
import { join, type Sql } from '../text/sql-text.ts'
import { ALIAS, type List, type Search } from './listed-rows.ts'

/**
 * A search that more rows match than this looks for those of a page in the order of the list first. To look up so many by the index of its words
 * takes some milliseconds.
 */
const MOST_CANDIDATES = 1_000

/** How many rows of the list are read then for each row of the page. If these do not fill the page, the index finds all rows. */
const READ_FOR_EACH = 100

const CANDIDATES = sql.id('crud_candidates')
const IN_ORDER = sql.id('crud_in_order')

/** The ids of a page. The rows of each range are read from its beginning, and no further than the page goes. */
export function idsInParts(context: QueryContext, list: List, limit: Sql, offset: Sql): Sql {
  const { source, id, keys, conditions, behind, search } = list
  const names = keys.map((_, index) => `crud_key${index}`)
  const idNames = partsOf(id).map((_, index) => `crud_id${index}`)
  const columns = [
    ...partsOf(id).map((part, index) => sql`${part} as ${sql.id(idNames[index] as string)}`),
    ...keys.map(({ value }, index) => sql`${value} as ${sql.id(names[index] as string)}`),
  ]
  const end = sql`${limit} + ${offset}`
  const ranges: readonly Range[] = behind?.ranges ?? [{ condition: sql`true`, differIn: [...keys.keys()] }]
  const rowsOf = (from: Sql, range: Range, most: Sql) =>
    sql`select ${join(columns)} ${from} order by ${orderIn(list, range)} limit ${most}`
  const isFull = sql`(select count(*) from ${IN_ORDER}) >= ${end}`
  const most = search === undefined ? end : sql`case when ${isFull} then 0 else ${end} end`
  const parts = ranges.map((range) => {
    const rows = rowsOf(source.from(...conditions, range.condition), range, most)
    return sql`select * from (${rows}) as ${sql.id('crud_part')}`
  })
  if (search !== undefined) parts.push(sql`select * from ${IN_ORDER} where ${isFull}`)
  const inOrder = orderBy(keys.map((key, index) => ({ ...key, value: sql.id(names[index] as string) })))
  const found = sql`select ${join(idNames.map((name) => sql.id(name)))} from (${join(parts, sql` union all `)}) as ${sql.id('crud_found')} order by ${join(inOrder)} limit ${limit} offset ${offset}`
  if (search === undefined) return found
  const [first] = ranges as readonly [Range]
  const areMany = sql`(select count(*) from ${CANDIDATES}) > ${sql.lit(MOST_CANDIDATES)}`
  const rows = rowsOf(firstRows(list, search, first, end), first, sql`case when ${areMany} then ${end} else 0 end`)
  const candidates = context.dialect.firstOf(search.candidates.ids, sql.lit(MOST_CANDIDATES + 1))
  return sql`with ${CANDIDATES} as materialized (${candidates}), ${IN_ORDER} as materialized (${rows}) ${found}`
}

function orderIn({ keys }: List, { differIn }: Range): Sql {
  // SQLite does not see that a sort by a value which all rows have is none.
  return join(orderBy(differIn.map((index) => keys[index] as (typeof keys)[number])))
}

/** The rest of a query: of the first rows of a range, those that match. */
function firstRows(list: List, { atPath, filter }: Search, range: Range, end: Sql): Sql {
  const first = sql`select ${sql.id(ALIAS)}.* ${list.source.from(...atPath, range.condition)} order by ${orderIn(list, range)} limit (${end}) * ${sql.lit(READ_FOR_EACH)}`
  return sql`from (${first}) as ${sql.id(ALIAS)} where ${join(filter, sql` and `)}`
}
