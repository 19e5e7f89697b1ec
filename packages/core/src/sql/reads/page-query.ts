import { sql } from 'kysely'
import { type ListQuery, PLAIN_LIST } from '../../asking/list-query.ts'
import { selectionFor } from '../../asking/select/chosen-selection.ts'
import type { Selection } from '../../asking/select/selection.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import { contextAt, type QueryContext } from '../context.ts'
import type { Range } from '../filters/behind-cursor.ts'
import { orderBy, orderedBy } from '../filters/sort-sql.ts'
import { namesOthers, ownersExist } from '../rows/path-condition.ts'
import { visibleBelow } from '../rows/visible-rows.ts'
import { saysWhose } from '../rows/whose-rows.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { jsonTuple } from './json-text.ts'
import {
  ALIAS,
  COUNTED,
  countJson,
  countSql,
  type IndexedSearch,
  type List,
  listOf,
  mostCounted,
  rowsJson,
} from './listed-rows.ts'
import { recordJson } from './record-json.ts'
import { answerQuery, summarySizeOf, total } from './summary-size.ts'

/**
 * What the answer of {@link pageQuery} ends in where there are more records: `,"next":[…]} `, with the sort values and
 * the id of its last one. Nothing else ends in a space.
 */
export const NEXT = ',"next":'
export const NEXT_END = '} '

/** Stands for an answer that needs the record of the cursor, which is not there any more. */
export const CURSOR_GONE = 'cursor gone'

/** A query of records as JSON, and what it selects of each of them. */
export interface RecordsQuery {
  readonly selection: Selection
  readonly statement: Prepared
}

/**
 * One page of a path and the count of all its records, as JSON text `{"rows":[…],"count":n}` in the column `json`
 * (slots `limit`, `offset`, `most`, and those of the filter and the cursor). It ends in {@link NEXT}, if there are more
 * records. The column is null if one of the owners does not exist, and {@link CURSOR_GONE}.
 */
export function pageQuery(
  storeContext: QueryContext,
  path: CollectionPath,
  query: ListQuery = PLAIN_LIST,
): RecordsQuery {
  const context = contextAt(storeContext, path)
  const { dialect, fieldRights } = context
  const list = listOf(context, path, query)
  const { behind } = list
  const selection = selectionFor(path, query, fieldRights)
  const answer =
    query === PLAIN_LIST && list.resource.hasId && partsOf(list.id).length === 1
      ? plainAnswer(context, list, selection)
      : answerOf(context, list, selection, query)
  const refusals = [
    ...(namesOthers(path) ? [sql`when not (${ownersExist(storeContext, path)}) then null`] : []),
    ...(behind?.isReadable === undefined ? [] : [sql`when not ${behind.isReadable} then ${constant(CURSOR_GONE)}`]),
  ]
  const json = refusals.length === 0 ? answer : sql`case ${join(refusals, sql` `)} else ${answer} end`
  // The trees of the rows are not measured first on PostgreSQL: the query would look so expensive that PostgreSQL
  // compiles it (JIT) at each execution. It builds the answer in its own process, and measures it before it sends it.
  const size = summarySizeOf(context, selection, ALIAS, !dialect.sendsAnswers)
  const measured = sql`from (${pageRows(context, list, limitOf(context))}) as ${sql.id(ALIAS)}`
  return { selection, statement: prepare(context.db, answerQuery(context, json, size && total(size, measured))) }
}

/** All records by their ids of one part, and how many there are: that tells whether there are more, and the last id is
 * the highest. */
function plainAnswer(context: QueryContext, list: List, selection: Selection): Sql {
  const { resource, conditions, source, id } = list
  const { quantity } = context.dialect
  const ids = idSqlOf(context, resource)
  const page = pageRows(context, list, limitOf(context))
  const count = column(COUNTED, 'count')
  const more = sql`${count} > ${quantity(slot('offset'))} + ${limitOf(context)}`
  const rows = rowsJson(recordJson(context, selection, ALIAS, list.form, saysWhose(context, selection, ALIAS)))
  const answer = answerJson(rows, countJson(count), more, jsonTuple([ids.json(ids.last(id))]))
  const counted = sql`select count(*) as ${sql.id('count')} ${source.from(...conditions)}`
  return sql`(select (select ${answer} from (${page}) as ${sql.id(ALIAS)}) from (${counted}) as ${sql.id(COUNTED)})`
}

const PAGE = 'crud_page'

/** Reads one record more than the page has: that tells whether there are more. */
function answerOf(context: QueryContext, list: List, selection: Selection, query: ListQuery): Sql {
  const limit = limitOf(context)
  const page = sql.id(PAGE)
  // Whole rows, not their JSON: PostgreSQL would build the JSON of the rows before the page, too.
  const read = pageRows(context, list, sql`${limit} + 1`)
  const shown = sql`(select * from ${page} limit ${limit}) as ${sql.id(ALIAS)}`
  const rows = sql`(select ${rowsJson(recordJson(context, selection, ALIAS, list.form, saysWhose(context, selection, ALIAS)))} from ${shown})`
  const hasMore = sql`exists (select 1 from ${page} limit 1 offset ${limit})`
  const keys = jsonTuple(list.cursor)
  const lastKeys = sql`(select ${keys} from ${page} as ${sql.id(ALIAS)} limit 1 offset ${limit} - 1)`
  const count = countSql(context, rowsToCount(context, list, query), query.count)
  const answer = answerJson(rows, count, hasMore, lastKeys)
  return sql`(with ${page} as materialized (${read}) select ${answer})`
}

/** The rest of a query that has the rows to be counted, of all pages. */
function rowsToCount(context: QueryContext, list: List, { count }: ListQuery): Sql {
  const { source, conditions, search } = list
  if (search === undefined || typeof count !== 'number') return source.from(...conditions)
  const first = idsInParts(context, { ...list, behind: undefined }, mostCounted(context), sql`0`)
  return sql`from (${first}) as ${sql.id('crud_first')}`
}

/** `keys`: those of the page's last record, as a JSON array. */
function answerJson(rows: Sql, count: Sql, hasMore: Sql, keys: Sql): Sql {
  const end = sql`case when ${hasMore} then ${constant(NEXT)} || ${keys} || ${constant(NEXT_END)} else '}' end`
  return sql`'{"rows":' || ${rows} || ${count} || ${end}`
}

function limitOf({ dialect }: QueryContext): Sql {
  return dialect.quantity(slot('limit'))
}

/** As many rows as a limit says, in their order. */
function pageRows(context: QueryContext, list: List, limit: Sql): Sql {
  const { resource, source, id, conditions, search, keys, behind, isIndexed } = list
  const { dialect } = context
  const byId = visibleBelow(context, resource, ALIAS)
  const order = orderBy(keys)
  const offset = dialect.quantity(slot('offset'))
  if (!resource.hasId) {
    return sql`select ${sql.id(ALIAS)}.* ${source.from(...conditions)}${orderedBy(keys)} limit ${limit} offset ${offset}`
  }
  const { ranges } = behind ?? { ranges: [] }
  if (search !== undefined || (isIndexed && ranges.length > 1)) {
    const ids = idsInParts(context, list, limit, offset)
    return sql`select * ${byId.from(dialect.isFound(id, ids))} order by ${join(order)}`
  }
  const isInRange = ranges.map(({ condition }) => condition)
  const isBehind = isInRange.length > 1 ? [sql`((${join(isInRange, sql`) or (`)}))`] : isInRange
  return dialect.page({ source, byId, conditions: [...conditions, ...isBehind], id, order, limit, offset })
}

/**
 * A search that more rows match than this looks for those of a page in the order of the list first. To look up so many
 * by the index of its words takes some milliseconds.
 */
const MOST_CANDIDATES = 1_000

/** How many rows of the list are read then for each row of the page. If these do not fill the page, the index finds all
 * rows. */
const READ_FOR_EACH = 100

const CANDIDATES = sql.id('crud_candidates')
const IN_ORDER = sql.id('crud_in_order')

/** The ids of a page. The rows of each range are read from its beginning, and no further than the page goes. */
function idsInParts(context: QueryContext, list: List, limit: Sql, offset: Sql): Sql {
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
function firstRows(list: List, { atPath, filter }: IndexedSearch, range: Range, end: Sql): Sql {
  const first = sql`select ${sql.id(ALIAS)}.* ${list.source.from(...atPath, range.condition)} order by ${orderIn(list, range)} limit (${end}) * ${sql.lit(READ_FOR_EACH)}`
  return sql`from (${first}) as ${sql.id(ALIAS)} where ${join(filter, sql` and `)}`
}
