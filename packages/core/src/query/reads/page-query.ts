import { sql } from 'kysely'
import type { CollectionPath } from '../../model/collection-path.ts'
import { EVERYTHING } from '../../reading/condition.ts'
import { type ListQuery, PLAIN_LIST } from '../../reading/list-query.ts'
import type { QueryContext } from '../context.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { shownBelow, shownInList } from '../shown-rows.ts'
import { column, type Sql, slot } from '../sql-text.ts'
import { answerQuery } from './answer-size.ts'
import { selectionFor } from './chosen-selection.ts'
import { ASCII_ONLY, type Comparing, filterSql } from './filter-sql.ts'
import { jsonArrayOfSortedQuery, jsonObject } from './json-text.ts'
import { listedAt, ownersExist } from './path-condition.ts'
import { recordJson } from './record-json.ts'
import type { Selection } from './selection.ts'
import { orderBy, sortSql } from './sort-sql.ts'
import { summarySizeOf, total } from './summary-size.ts'

const ALIAS = 't0'

/** A query of records as JSON, and what it selects of each of them. */
export interface RecordsQuery {
  readonly selection: Selection
  readonly statement: Prepared
}

/**
 * One page of a path and the count of all its records, as JSON text `{"rows":[…],"count":n}` in the column `json`
 * (slots `limit`, `offset`, and those of the filter); the column is null if one of the owners does not exist.
 */
export function pageQuery(
  context: QueryContext,
  path: CollectionPath,
  query: ListQuery = PLAIN_LIST,
  comparing: Comparing = ASCII_ONLY,
): RecordsQuery {
  const { dialect } = context
  const { selection, conditions, order } = listOf(context, path, query, comparing)
  const source = shownInList(context, selection.resource, ALIAS)
  const byId = shownBelow(context, selection.resource, ALIAS)
  const id = column(ALIAS, selection.resource.idColumn)
  // Whole rows, not their JSON: PostgreSQL would build the JSON of the rows before the page, too.
  const page = dialect.page({ source, byId, conditions, id, order, limit: slot('limit'), offset: slot('offset') })
  const json = recordJson(context, selection, ALIAS)
  const fromPage = sql`from (${page}) as ${sql.id(ALIAS)}`
  const rows = sql`(${jsonArrayOfSortedQuery(json, fromPage)})`
  const count = sql`(select count(*) ${source.from(...conditions)})`
  const answer = jsonObject([
    ['rows', rows],
    ['count', count],
  ])
  const ifListed =
    path.relations.length === 0 ? answer : sql`case when ${ownersExist(context, path)} then ${answer} end`
  // The trees of the rows are not measured first on PostgreSQL: the query would look so expensive that PostgreSQL compiles it
  // (JIT) at each execution. It builds the answer in its own process, and measures it before it sends it.
  const size = summarySizeOf(context, selection, ALIAS, !dialect.sendsAnswers)
  const statement = prepare(context.db, answerQuery(context, ifListed, size && total(size, fromPage)))
  return { selection, statement }
}

/** What a list shows. */
interface List {
  /** Of each record. */
  readonly selection: Selection
  /** Which records it has. */
  readonly conditions: readonly Sql[]
  readonly order: readonly Sql[]
}

/** The records of the path that the query asks for, in its order. */
function listOf(context: QueryContext, path: CollectionPath, query: ListQuery, comparing: Comparing): List {
  const { resource } = path
  const filter = query.condition === EVERYTHING ? [] : [filterSql(context, query.condition, ALIAS, comparing)]
  return {
    selection: selectionFor(resource, query, comparing),
    conditions: [...listedAt(context, path, ALIAS), ...filter],
    order: orderBy(sortSql(context, resource, query.sort, ALIAS, comparing)),
  }
}
