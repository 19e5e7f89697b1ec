import { sql } from 'kysely'
import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import type { QueryContext } from '../context.ts'
import { livesAt } from '../rows/path-condition.ts'
import { visibleBelow, visibleRows } from '../rows/visible-rows.ts'
import { idSqlOf, listedId, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { type Sql, slot } from '../text/sql-text.ts'
import { LISTED } from '../text/tenant-sql.ts'
import { TOO_LARGE } from './answer-size.ts'
import { allowedJson } from './read-queries.ts'
import { summarySizeOf } from './summary-size.ts'

/**
 * The records of a path with certain ids, as `recordQuery` gives one: a row for each that is there, with its id as text in the column `id`
 * and its JSON in the column `json` (slot `ids`, which `encodeList` makes). If all of them together are larger than an answer may be, the
 * JSON of each says so.
 */
export function recordsQuery(
  context: QueryContext,
  path: CollectionPath,
  selection: Selection,
  action: RowAction | undefined,
): Prepared {
  const { resource } = path
  const { dialect, maxAnswer } = context
  const ids = idSqlOf(context, resource)
  const rows = (namesNoOwner(path) ? visibleRows : visibleBelow)(context, resource, LISTED)
  const asked = sql`(${ids.list(slot('ids'))}) as ${sql.id('x')}`
  const from = dialect.joinRowByRow(asked, rows, livesAt(context, path, LISTED, listedId(resource, 'x')))
  const json = ifSmall(context, selection, allowedJson(context, path, selection, action))
  const found = sql`select ${ids.text(rowId(resource, LISTED))} as id, ${json} as json from ${from}`
  const all = sql.id('crud_records')
  const size = sql`sum(octet_length(${all}.json)) over ()`
  const answer = sql`case when ${size} > ${sql.lit(maxAnswer)} then ${TOO_LARGE} else ${all}.json end`
  return prepare(
    context.db,
    sql`select ${all}.id as id, ${answer} as json from ${dialect.computedOnce(found)} as ${all}`,
  )
}

/** What is known of the size of a record before its JSON is built. */
function ifSmall(context: QueryContext, selection: Selection, json: Sql): Sql {
  const size = summarySizeOf(context, selection, LISTED)
  return size === undefined
    ? json
    : sql`case when ${size} > ${sql.lit(context.maxAnswer)} then ${TOO_LARGE} else ${json} end`
}
