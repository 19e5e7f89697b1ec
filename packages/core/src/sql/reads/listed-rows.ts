import { sql } from 'kysely'
import type { Comparing } from '../../asking/comparing.ts'
import { type Condition, EVERYTHING } from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import { type IdForm, idFormIn } from '../../model/ids/short-id.ts'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { type BehindCursor, behindCursor, cursorIdSlot, isFirstIndexed, isInOrder } from '../filters/behind-cursor.ts'
import { candidatesOf } from '../filters/candidates-of.ts'
import { filterSql } from '../filters/filter-sql.ts'
import type { Candidates } from '../filters/search-candidates.ts'
import { type SortSql, sortSql } from '../filters/sort-sql.ts'
import { listedAt } from '../rows/path-condition.ts'
import { visibleInList, visibleInLists, visibleRows } from '../rows/visible-rows.ts'
import { comparedIdSlot, rowId } from '../text/id-sql-of.ts'
import type { Source } from '../text/source.ts'
import { type Sql, slot } from '../text/sql-text.ts'
import { LISTED } from '../text/tenant-sql.ts'

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
  readonly search: Search | undefined
  readonly keys: readonly SortSql[]
  /** What a cursor behind a row has of it, as JSON. */
  readonly cursor: readonly Sql[]
  /** Undefined: the first page. */
  readonly behind: BehindCursor | undefined
  /** Whether an index has the rows of each range in their order. */
  readonly isIndexed: boolean
}

/** A search whose words an index has. The conditions are those of the list, but without this index. */
export interface Search {
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
  comparing: Comparing,
): { readonly source: Source; readonly atPath: readonly Sql[]; readonly filter: readonly Sql[] } {
  const rows = path.linkedFrom ? visibleRows : namesNoOwner(path) ? visibleInLists : visibleInList
  return {
    source: rows(context, path.resource, ALIAS),
    atPath: listedAt(context, path, ALIAS),
    filter: condition === EVERYTHING ? [] : [filterSql(context, condition, ALIAS, comparing)],
  }
}

/** The rows of a path that a query asks for. */
export function listOf(context: QueryContext, path: CollectionPath, query: ListQuery, comparing: Comparing): List {
  const { resource } = path
  const { source, atPath, filter } = listedRows(context, path, query.condition, comparing)
  const id = rowId(resource, ALIAS)
  const { keys, cursor } = sortSql(context, resource, query.sort, ALIAS, comparing)
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
    search: isInOrder(resource, query.sort) ? searchOf(context, path, query, comparing) : undefined,
    keys,
    cursor: resource.hasId ? cursor : [end],
    behind: query.after && behindCursor(context.dialect, query.after, keys, row),
    isIndexed: isFirstIndexed(resource, query.sort),
  }
}

function searchOf(
  context: QueryContext,
  path: CollectionPath,
  { condition }: ListQuery,
  comparing: Comparing,
): Search | undefined {
  const candidates = candidatesOf(context, condition, ALIAS, comparing)
  if (candidates === undefined) return undefined
  const { atPath, filter } = listedRows(context, path, condition, { ...comparing, findsParts: false })
  return { candidates, atPath, filter: candidates.isFound === undefined ? filter : [...filter, candidates.isFound] }
}
