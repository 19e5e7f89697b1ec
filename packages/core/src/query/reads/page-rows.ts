import { sql } from 'kysely'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import { type IdForm, idFormIn } from '../../model/ids/short-id.ts'
import type { Resource } from '../../model/model.ts'
import type { Comparing } from '../../reading/comparing.ts'
import { type Condition, EVERYTHING } from '../../reading/condition.ts'
import type { ListQuery } from '../../reading/list-query.ts'
import type { QueryContext } from '../context.ts'
import { type BehindCursor, behindCursor, cursorIdSlot, isFirstIndexed, type Range } from '../filters/behind-cursor.ts'
import { filterSql } from '../filters/filter-sql.ts'
import { orderBy, orderedBy, type SortSql, sortSql } from '../filters/sort-sql.ts'
import { listedAt } from '../rows/path-condition.ts'
import { visibleBelow, visibleInList, visibleInLists, visibleRows } from '../rows/visible-rows.ts'
import { comparedIdSlot, rowId } from '../text/id-sql-of.ts'
import { partsOf } from '../text/row-value.ts'
import type { Source } from '../text/source.ts'
import { join, type Sql, slot } from '../text/sql-text.ts'
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
  readonly keys: readonly SortSql[]
  /** What a cursor behind a row has of it, as JSON. */
  readonly cursor: readonly Sql[]
  /** Undefined: the first page. */
  readonly behind: BehindCursor | undefined
  /** Whether an index has the rows of each range in their order. */
  readonly isIndexed: boolean
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
  const end = sql`cast(${quantity(slot('offset'))} + ${quantity(slot('limit'))} as text)`
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
    keys,
    cursor: resource.hasId ? cursor : [end],
    behind: query.after && behindCursor(context.dialect, query.after, keys, row),
    isIndexed: isFirstIndexed(resource, query.sort),
  }
}

/** As many rows as a limit says, in their order. */
export function pageRows(context: QueryContext, list: List, limit: Sql): Sql {
  const { resource, source, id, conditions, keys, behind, isIndexed } = list
  const { dialect } = context
  const byId = visibleBelow(context, resource, ALIAS)
  const order = orderBy(keys)
  const offset = dialect.quantity(slot('offset'))
  if (!resource.hasId) {
    return sql`select ${sql.id(ALIAS)}.* ${source.from(...conditions)}${orderedBy(keys)} limit ${limit} offset ${offset}`
  }
  const { ranges } = behind ?? { ranges: [] }
  if (ranges.length > 1 && isIndexed) {
    const ids = idsInRanges(list, ranges, limit)
    return sql`select * ${byId.from(dialect.isFound(id, ids))} order by ${join(order)}`
  }
  const isInRange = ranges.map(({ condition }) => condition)
  const isBehind = isInRange.length > 1 ? [sql`((${join(isInRange, sql`) or (`)}))`] : isInRange
  return dialect.page({ source, byId, conditions: [...conditions, ...isBehind], id, order, limit, offset })
}

/** Each range is read from its beginning, and no further than the page goes. */
function idsInRanges({ source, id, conditions, keys }: List, ranges: readonly Range[], limit: Sql): Sql {
  const names = keys.map((_, index) => `crud_key${index}`)
  const idNames = partsOf(id).map((_, index) => `crud_id${index}`)
  const values = join(keys.map(({ value }, index) => sql`${value} as ${sql.id(names[index] as string)}`))
  const parts = ranges.map(({ condition, differIn }) => {
    // SQLite does not see that a sort by a value which all rows have is none.
    const order = join(orderBy(differIn.map((index) => keys[index] as SortSql)))
    const ids = join(partsOf(id).map((part, index) => sql`${part} as ${sql.id(idNames[index] as string)}`))
    const rows = sql`select ${ids}, ${values} ${source.from(...conditions, condition)} order by ${order} limit ${limit}`
    return sql`select * from (${rows}) as ${sql.id('crud_range')}`
  })
  const inOrder = orderBy(keys.map((key, index) => ({ ...key, value: sql.id(names[index] as string) })))
  return sql`select ${join(idNames.map((name) => sql`${sql.id(name)}`))} from (${join(parts, sql` union all `)}) as ${sql.id('crud_found')} order by ${join(inOrder)} limit ${limit}`
}
