import { sql } from 'kysely'
import { EVERYTHING } from '../../asking/condition.ts'
import type { ChosenRows } from '../../asking/select/selection.ts'
import type { QueryContext } from '../context.ts'
import { filterSql } from '../filters/filter-sql.ts'
import { orderedBy, sortSql } from '../filters/sort-sql.ts'
import { relatedRows } from '../rows/related-rows.ts'
import type { Sql } from '../text/sql-text.ts'

/** The rows of an array that a query chooses, as the FROM of a query; {@link inside} is their alias. */
export function fromChosen(
  context: QueryContext,
  { relation, rows: { condition, sort, limit }, path, comparing }: ChosenRows,
  alias: string,
): Sql {
  const { from, alias: far } = relatedRows(context, relation, alias)
  const conditions = condition === EVERYTHING ? [] : [filterSql(context, condition, far, comparing, path)]
  const order = orderedBy(sortSql(context, relation.target, sort, far, comparing).keys)
  const most = limit === undefined ? sql`` : sql` limit ${sql.lit(limit)}`
  const rows = sql`select ${sql.id(far)}.* ${from(...conditions)}${order}${most}`
  return sql`from (${rows}) as ${sql.id(far)}`
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
