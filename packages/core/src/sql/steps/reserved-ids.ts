import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import { type DrawnIds, deriveIds, type NewIds, type ToReserve } from '../../planning/order/new-ids.ts'
import type { QueryContext } from '../context.ts'
import type { AssignedIds } from '../dialect/id-sql.ts'
import { jsonTuple } from '../reads/json-text.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare, type SlotValues } from '../text/prepare.ts'
import { constant, type Sql, slot } from '../text/sql-text.ts'
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
export function reserveValues(context: QueryContext, rows: readonly ToReserve[]): SlotValues {
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

/** The ids that `json` contains, for each table. Nothing where the database counts none of one of them. */
export function drawnIn(context: QueryContext, rows: readonly ToReserve[], json: string | null): DrawnIds {
  const answers = json === null ? [] : (JSON.parse(json) as unknown[])
  return new Map(
    answers.map((answer, index) => {
      const { resource, numbers } = rows[index] as ToReserve
      return [resource.table, assignedIn(context, resource).toReserved(answer, numbers.length)]
    }),
  )
}

/** Ids are reserved only where the database assigns them. */
function assignedIn(context: QueryContext, resource: Resource): AssignedIds {
  return idSqlOf(context, resource).assigned as AssignedIds
}

/**
 * A setting of PostgreSQL's transaction, which keeps the id of the only new row of a resource. Later statements find it
 * there, so they can be sent before the INSERT is answered. The id can come from a sequence, a default or a trigger.
 */
function settingOf({ key }: Resource): Sql {
  // The case of letters does not tell PostgreSQL's settings apart, but it does tell resources apart.
  return constant(`fastify_crud.${key.replaceAll(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`)}`)
}

/** Of the only row of a table. Returns the id as text, also where the transaction can keep none. */
export function keepId(context: QueryContext, resource: Resource, table: string): Sql {
  const id = sql`(select ${idSqlOf(context, resource).text(rowId(resource))} from ${sql.id(table)})`
  return context.dialect.pipelining?.keepsIds ? sql`set_config(${settingOf(resource)}, ${id}, true)` : id
}

export function keptId(context: QueryContext, resource: Resource): Sql {
  return idSqlOf(context, resource).typed(sql`current_setting(${settingOf(resource)})`)
}

/** The same for all new rows of a resource (`NewIds.keptByTransaction`), which a query gives. */
export function keepAllIds(context: QueryContext, resource: Resource, ids: Sql): Sql {
  const { text } = idSqlOf(context, resource)
  return sql`set_config(${settingOf(resource)}, (select array_agg(${text(sql.id('id'))})::text from (${ids}) as ${sql.id('crud_new')} (id)), true)`
}

/** As a parameter that `encodeList` made. */
export function allKeptIds(resource: Resource): Sql {
  return sql`current_setting(${settingOf(resource)})`
}
