import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { NewIds } from '../../plan/order/new-ids.ts'
import type { OrderedStep } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import type { Once } from '../text/once.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { join, type Sql } from '../text/sql-text.ts'
import { keepAllIds, keepId, keptId } from './kept-ids.ts'
import type { Steps } from './steps.ts'

/** Several steps as one statement, with its values. */
export interface JoinedSteps {
  readonly statement: Prepared
  readonly values: Values
  /** The new rows whose ids it returns, in the order of the columns of its only row. */
  readonly returned: readonly ReturnedId[]
}

export interface ReturnedId {
  /** The new row's. */
  readonly number: number
  /** Reads the id from what the driver returned. */
  fromDriver(value: unknown): Id
}

/**
 * Joins steps into one statement of PostgreSQL. The statement keeps the ids of new rows in the transaction, where later statements
 * find them. Its own parts find such an id in the part that inserts the row.
 */
export function joinedSteps(
  context: QueryContext,
  steps: readonly OrderedStep[],
  newIds: NewIds,
  stepsAsSql: Steps,
  once: Once,
): JoinedSteps {
  const parts = steps.map((step, index) => ({ ...stepsAsSql.part(step, newIds), step, table: `crud_s${index}` }))
  const inserting = new Map<Resource, string>()
  const keptByTransaction: [Resource, string][] = []
  const returned: ReturnedId[] = []
  for (const { step, table } of parts) {
    if (step.step !== 'insert') continue
    if (newIds.keptByTransaction.has(step.resource)) keptByTransaction.push([step.resource, table])
    const number = newIds.assignedByInsert.get(step.resource)
    if (number === undefined) continue
    inserting.set(step.resource, table)
    returned.push({ number, fromDriver: idSqlOf(context, step.resource).fromDriver })
  }
  const kept = keptByTransaction.map(([, table]) => table)
  const name = `${parts.map(({ shape }) => shape.name).join('; ')} giving ${[...inserting.values(), 'keeping', ...kept].join(' ')}`
  const statement = once(name, () => {
    const idOf = (resource: Resource): Sql => {
      const table = inserting.get(resource)
      return table === undefined ? keptId(context, resource) : fromPart(resource, table)
    }
    let first = 0
    const tables = parts.map(({ shape, values, step, table }) => {
      const isReturning = step.step === 'insert' && (inserting.has(step.resource) || kept.includes(table))
      const returning = isReturning ? sql` returning ${sql.id(step.resource.idColumn)}` : sql``
      const part = sql`${sql.id(table)} as (${shape.sql(first, idOf)}${returning})`
      first += values.length
      return part
    })
    const ids = [...inserting].map(
      ([resource, table]) => sql`${keepId(resource, fromPart(resource, table))} as ${sql.id(table)}`,
    )
    for (const [resource, table] of keptByTransaction) {
      const all = sql`select ${sql.id(resource.idColumn)} from ${sql.id(table)}`
      ids.push(sql`${keepAllIds(resource, all)} as ${sql.id(table)}`)
    }
    return prepare(context.db, sql`with ${join(tables)} select ${ids.length === 0 ? sql`1 as done` : join(ids)}`)
  })
  return { statement, returned, values: parts.flatMap(({ values }) => values) }
}

function fromPart({ idColumn }: Resource, table: string): Sql {
  return sql`(select ${sql.id(idColumn)} from ${sql.id(table)})`
}
