import { sql } from 'kysely'
import { type Condition, EVERYTHING, unionsIn } from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import type { Count } from '../../asking/scope.ts'
import type { ChosenRows } from '../../asking/select/selection.ts'
import { keptOrder } from '../../asking/sort-key.ts'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import { type IdForm, idFormIn } from '../../model/ids/short-id.ts'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { type BehindCursor, behindCursor, cursorIdSlot, isFirstIndexed, isInOrder } from '../filters/behind-cursor.ts'
import { filterSql, matchOf } from '../filters/filter-sql.ts'
import { type Candidates, candidatesInTable } from '../filters/search-candidates.ts'
import { orderedBy, type SortSql, sortSql } from '../filters/sort-sql.ts'
import { inside, listedAt, placeOfLink } from '../rows/path-condition.ts'
import { relatedRows } from '../rows/related-rows.ts'
import { visibleInList, visibleInLists, visibleKept, visibleRows } from '../rows/visible-rows.ts'
import { comparedIdSlot, rowId } from '../text/member-id-sql.ts'
import type { Source } from '../text/sql-text.ts'
import { column, join, LISTED, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'

/** Which rows a list has, and in which order. They go by {@link ALIAS}. */
export interface List {
  readonly resource: Resource
  readonly source: Source
  readonly id: Sql
  /** How answers spell the ids. */
  readonly form: IdForm
  /** Of all pages. */
  readonly conditions: readonly Sql[]
  /** Undefined where no index has the words of a search, and where no other has the rows in the order of the list. */
  readonly search: IndexedSearch | undefined
  readonly keys: readonly SortSql[]
  /** What a cursor behind a row has of it, as JSON. */
  readonly cursor: readonly Sql[]
  /** Undefined: the first page. */
  readonly behind: BehindCursor | undefined
  /** Whether an index has the rows of each range in their order. */
  readonly isIndexed: boolean
}

/** A search whose words an index has. The conditions are those of the list, but without this index. */
export interface IndexedSearch {
  readonly candidates: Candidates
  /** Which rows the path has. */
  readonly atPath: readonly Sql[]
  /** Which of these match. */
  readonly filter: readonly Sql[]
}

export const ALIAS = LISTED

/** The rows of a path that match a filter. */
export function listedRows(
  context: QueryContext,
  path: CollectionPath,
  condition: Condition,
): { readonly source: Source; readonly atPath: readonly Sql[]; readonly filter: readonly Sql[] } {
  return {
    source: rowsOf(path)(context, path.resource, ALIAS),
    atPath: listedAt(context, path, ALIAS),
    filter: condition === EVERYTHING ? [] : [filterSql(context, condition, ALIAS)],
  }
}

function rowsOf(path: CollectionPath): typeof visibleRows {
  if (path.kept) return visibleKept
  if (path.linkedFrom) return visibleRows
  return namesNoOwner(path) ? visibleInLists : visibleInList
}

/** The rows of a path that a query asks for. */
export function listOf(context: QueryContext, path: CollectionPath, query: ListQuery): List {
  const { resource } = path
  const { source, atPath, filter } = listedRows(context, path, query.condition)
  const id = rowId(resource, ALIAS)
  const { keys, cursor } = sortSql(context, resource, query.sort, ALIAS)
  const { quantity } = context.dialect
  // Rows without ids may be equal in all that a cursor could have of them.
  const end = sql`cast(cast(${quantity(slot('offset'))} + ${quantity(slot('limit'))} as bigint) as text)`
  const isRow = sql`${id} = ${comparedIdSlot(context, resource, cursorIdSlot(query.sort))}`
  const row = {
    value: ({ value }: SortSql) => sql`(select ${value} ${source.from(...atPath, isRow)})`,
    exists: (condition: Sql) => sql`exists (select 1 ${source.from(...atPath, isRow, condition)})`,
  }
  return {
    resource,
    source,
    id,
    form: idFormIn(path),
    conditions: [...atPath, ...filter],
    search: isInOrder(resource, query.sort) ? searchOf(context, path, query) : undefined,
    keys,
    cursor: resource.hasId ? cursor : [end],
    behind: query.after && behindCursor(context.dialect, query.after, keys, row),
    isIndexed: isFirstIndexed(resource, query.sort),
  }
}

function searchOf(context: QueryContext, path: CollectionPath, { condition }: ListQuery): IndexedSearch | undefined {
  const plain = { ...context, comparing: { ...context.comparing, findsParts: false } }
  const candidates = candidatesOf(context, condition, ALIAS)
  if (candidates === undefined) return undefined
  const { atPath, filter } = listedRows(plain, path, condition)
  return { candidates, atPath, filter: candidates.isFound === undefined ? filter : [...filter, candidates.isFound] }
}

/** The rows that an index finds for the words of a search. Undefined where there is none, or no word is looked up in
 * the rows alone. */
function candidatesOf(context: QueryContext, condition: Condition, alias: string): Candidates | undefined {
  if (!context.comparing.findsParts) return undefined
  // One of several conditions has a word that may also be in a related record.
  const union = unionsIn(condition).find(({ conditions }) => conditions.length === 1)
  if (union === undefined) return undefined
  const { resource, conditions } = union
  const words = conditions[0] as Condition
  if (context.dialect.hasSearchTables)
    return candidatesInTable(context, resource, alias, words, matchOf('', condition, words))
  const row = inside(alias)
  const rows = storedRows(context, resource, row).from(filterSql(context, words, row, '', condition))
  const ids = sql`select ${join(partsOf(rowId(resource, row)))} ${rows}`
  return { ids, id: rowId(resource, alias), isFound: undefined }
}

/** The rows of an array that a query chooses, as the FROM of a query; {@link inside} is their alias. */
export function fromChosen(
  context: QueryContext,
  { relation, rows: { condition, sort, limit }, path }: ChosenRows,
  alias: string,
): Sql {
  const { from, alias: far } = relatedRows(context, relation, alias)
  const conditions = condition === EVERYTHING ? [] : [filterSql(context, condition, far, path)]
  const { keys } = sortSql(context, relation.target, sort.length === 0 ? keptOrder(relation) : sort, far)
  const order = orderedBy(sort.length === 0 ? [...placeOf(context, relation, alias, far), ...keys] : keys)
  const most = limit === undefined ? sql`` : sql` limit ${sql.lit(limit)}`
  const rows = sql`select ${sql.id(far)}.* ${from(...conditions)}${order}${most}`
  return sql`from (${rows}) as ${sql.id(far)}`
}

/** Where the array of a link keeps its order: the number of the link. */
function placeOf(
  context: QueryContext,
  relation: ChosenRows['relation'],
  near: string,
  far: string,
): readonly Pick<SortSql, 'value' | 'isDescending' | 'isNullable'>[] {
  if (relation.kind !== 'link' || relation.order === undefined) return []
  const value = placeOfLink(context, relation, rowId(relation.source, near), rowId(relation.target, far))
  return [{ value, isDescending: false, isNullable: true }]
}

/** Whether there are more rows than the array has. Undefined where none are missing, or no body could set them. */
export function lacksRows(
  context: QueryContext,
  { relation, rows: { limit } }: ChosenRows,
  alias: string,
): Sql | undefined {
  if (limit === undefined || relation.kind === 'neededBy') return undefined
  const { from } = relatedRows(context, relation, alias)
  const some = sql`select 1 ${from()} limit ${sql.lit(limit + 1)}`
  return sql`(select count(*) from (${some}) as ${sql.id('crud_some')}) > ${sql.lit(limit)}`
}

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
export function countSql(context: QueryContext, from: Sql, count: Count): Sql {
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
