import { sql } from 'kysely'
import { ASCII_ONLY, type Comparing } from '../../asking/comparing.ts'
import { type ListQuery, PLAIN_LIST } from '../../asking/list-query.ts'
import { selectionFor } from '../../asking/select/chosen-selection.ts'
import type { Selection } from '../../asking/select/selection.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { QueryContext } from '../context.ts'
import { namesOthers, ownersExist } from '../rows/path-condition.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { partsOf } from '../text/row-value.ts'
import { column, constant, join, type Sql, slot } from '../text/sql-text.ts'
import { answerQuery } from './answer-size.ts'
import { COUNTED, countJson, countOf, mostCounted, rowsJson } from './counted-rows.ts'
import { idsInParts } from './ids-in-parts.ts'
import { jsonTuple } from './json-text.ts'
import { ALIAS, type List, listOf } from './listed-rows.ts'
import { pageRows } from './page-rows.ts'
import { type JsonEntry, recordJson } from './record-json.ts'
import { summarySizeOf, total } from './summary-size.ts'

/**
 * What the answer of {@link pageQuery} ends in where there are more records: `,"next":[…]} `, with the sort values and the id of its
 * last one. Nothing else ends in a space.
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
 * (slots `limit`, `offset`, `most`, and those of the filter and the cursor). It ends in {@link NEXT}, if there are more records. The
 * column is null if one of the owners does not exist, and {@link CURSOR_GONE}.
 */
export function pageQuery(
  context: QueryContext,
  path: CollectionPath,
  query: ListQuery = PLAIN_LIST,
  comparing: Comparing = ASCII_ONLY,
): RecordsQuery {
  const { dialect, fieldRights } = context
  const list = listOf(context, path, query, comparing)
  const { behind } = list
  const selection = selectionFor(path, query, comparing, fieldRights)
  const answer =
    query === PLAIN_LIST && list.resource.hasId && partsOf(list.id).length === 1
      ? plainAnswer(context, list, selection)
      : answerOf(context, list, selection, query)
  const refusals = [
    ...(namesOthers(path) ? [sql`when not (${ownersExist(context, path)}) then null`] : []),
    ...(behind?.isReadable === undefined ? [] : [sql`when not ${behind.isReadable} then ${constant(CURSOR_GONE)}`]),
  ]
  const json = refusals.length === 0 ? answer : sql`case ${join(refusals, sql` `)} else ${answer} end`
  // The trees of the rows are not measured first on PostgreSQL: the query would look so expensive that PostgreSQL compiles it
  // (JIT) at each execution. It builds the answer in its own process, and measures it before it sends it.
  const size = summarySizeOf(context, selection, ALIAS, !dialect.sendsAnswers)
  const measured = sql`from (${pageRows(context, list, limitOf(context))}) as ${sql.id(ALIAS)}`
  return { selection, statement: prepare(context.db, answerQuery(context, json, size && total(size, measured))) }
}

/** All records by their ids of one part, and how many there are: that tells whether there are more, and the last id is the highest. */
function plainAnswer(context: QueryContext, list: List, selection: Selection): Sql {
  const { resource, conditions, source, id } = list
  const { quantity } = context.dialect
  const ids = idSqlOf(context, resource)
  const page = pageRows(context, list, limitOf(context))
  const count = column(COUNTED, 'count')
  const more = sql`${count} > ${quantity(slot('offset'))} + ${limitOf(context)}`
  const rows = rowsJson(recordJson(context, selection, ALIAS, list.form, whoseRecord(context, selection)))
  const answer = answerJson(rows, countJson(count), more, jsonTuple([ids.json(ids.last(id))]))
  const counted = sql`select count(*) as ${sql.id('count')} ${source.from(...conditions)}`
  return sql`(select (select ${answer} from (${page}) as ${sql.id(ALIAS)}) from (${counted}) as ${sql.id(COUNTED)})`
}

/** In a list of all tenants, each record says whose it is. One with a relation to the tenant may say so already. */
function whoseRecord(context: QueryContext, { resource, properties }: Selection): readonly JsonEntry[] {
  const { tenant, references } = resource
  if (context.reach !== 'each tenant' || tenant === undefined) return []
  const shown = references.find(({ isTenant }) => isTenant)
  if (properties.some((one) => one.kind === 'foreignKey' && one.reference === shown)) return []
  const whose = idSqlOf(context, tenant.of).json(column(ALIAS, tenant.column))
  return [[shown?.foreignKey ?? tenant.column, whose]]
}

const PAGE = 'crud_page'

/** Reads one record more than the page has: that tells whether there are more. */
function answerOf(context: QueryContext, list: List, selection: Selection, query: ListQuery): Sql {
  const limit = limitOf(context)
  const page = sql.id(PAGE)
  // Whole rows, not their JSON: PostgreSQL would build the JSON of the rows before the page, too.
  const read = pageRows(context, list, sql`${limit} + 1`)
  const shown = sql`(select * from ${page} limit ${limit}) as ${sql.id(ALIAS)}`
  const rows = sql`(select ${rowsJson(recordJson(context, selection, ALIAS, list.form, whoseRecord(context, selection)))} from ${shown})`
  const hasMore = sql`exists (select 1 from ${page} limit 1 offset ${limit})`
  const keys = jsonTuple(list.cursor)
  const lastKeys = sql`(select ${keys} from ${page} as ${sql.id(ALIAS)} limit 1 offset ${limit} - 1)`
  const count = countOf(context, rowsToCount(context, list, query), query.count)
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
