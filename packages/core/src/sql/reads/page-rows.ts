import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import { orderBy, orderedBy } from '../filters/sort-sql.ts'
import { visibleBelow } from '../rows/visible-rows.ts'
import { join, type Sql, slot } from '../text/sql-text.ts'
import { idsInParts } from './ids-in-parts.ts'
import { ALIAS, type List } from './listed-rows.ts'

/** As many rows as a limit says, in their order. */
export function pageRows(context: QueryContext, list: List, limit: Sql): Sql {
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
