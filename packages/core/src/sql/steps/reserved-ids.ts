import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import { deriveIds, type NewIds, type ToReserve } from '../../planning/order/new-ids.ts'
import type { QueryContext } from '../context.ts'
import type { AssignedIds } from '../dialect/id-sql.ts'
import { jsonTuple } from '../reads/json-text.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { slot } from '../text/sql-text.ts'
import { tableOf } from '../text/stored-rows.ts'

/** Reserves ids: a JSON array with an item for each resource, which {@link noteReserved} reads. */
export function reserveQuery(context: QueryContext, resources: readonly Resource[], hasSequences: boolean): Prepared {
  const { db, names } = context
  const answers = resources.map((resource, index) => {
    const [count, floor] = [slot(`count${index}`), slot(`floor${index}`)]
    return assignedIn(context, resource).reserve(
      tableOf(context, resource),
      names.column(resource.idColumns[0]),
      count,
      floor,
      hasSequences,
    )
  })
  return prepare(db, sql`select ${jsonTuple(answers)} as json`)
}

/** The values of {@link reserveQuery}. */
export function reserveValues(context: QueryContext, rows: readonly ToReserve[]): Values {
  const values: Record<string, unknown> = {}
  for (const [index, { resource, numbers, chosen }] of rows.entries()) {
    values[`count${index}`] = numbers.length
    values[`floor${index}`] = assignedIn(context, resource).floorAbove(chosen)
  }
  return values
}

/** Notes the reserved ids that `json` contains. The first one is for the first row. */
export function noteReserved(context: QueryContext, newIds: NewIds, json: string): void {
  const { toReserve, ids } = newIds
  const answers = JSON.parse(json) as unknown[]
  for (const [index, { resource, numbers }] of toReserve.entries()) {
    const reserved = assignedIn(context, resource).toReserved(answers[index], numbers.length)
    for (const [position, number] of numbers.entries()) ids[number] = reserved[position]
  }
  deriveIds(newIds)
}

/** Ids are reserved only where the database assigns them. */
function assignedIn(context: QueryContext, resource: Resource): AssignedIds {
  return idSqlOf(context, resource).assigned as AssignedIds
}
