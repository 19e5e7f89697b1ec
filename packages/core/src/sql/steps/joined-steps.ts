import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { assignedBy, type NewIds } from '../../planning/order/new-ids.ts'
import type { OrderedStep } from '../../planning/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { partsOf } from '../text/row-value.ts'
import { join, type Sql } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { keepAllIds, keepId, keptId } from './kept-ids.ts'
import type { StepShape } from './step-shape.ts'
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
  fromText(text: string): Id
}

/** A step, and of an INSERT whether the transaction keeps the id of its only row or all of them, if these are needed. */
type Part =
  | readonly [shape: StepShape, slots: number]
  | readonly [shape: StepShape, slots: number, inserted: Resource, keeps: 'one' | 'all']

/**
 * Joins steps into one statement of PostgreSQL. The statement keeps the ids of new rows in the transaction, where later statements
 * find them. Its own parts find such an id in the part that inserts the row.
 */
export function joinedStepsOf(
  context: QueryContext,
  stepsAsSql: Steps,
  statements: StatementCache,
): (steps: readonly OrderedStep[], newIds: NewIds) => JoinedSteps {
  const statementOf = statements.each((context, parts: readonly Part[]) => prepareParts(context, parts))
  return (steps, newIds) => {
    const returned: ReturnedId[] = []
    const all: unknown[] = []
    const parts = steps.map((step): Part => {
      const { shape, values } = stepsAsSql.part(step, newIds)
      all.push(...values)
      if (step.step !== 'insert') return [shape, values.length]
      const { resource } = step
      const number = assignedBy(step, newIds)
      if (number !== undefined) {
        returned.push({ number, fromText: idSqlOf(context, resource).fromText })
        return [shape, values.length, resource, 'one']
      }
      return newIds.keptByTransaction.has(resource) ? [shape, values.length, resource, 'all'] : [shape, values.length]
    })
    return { statement: statementOf(parts), returned, values: all }
  }
}

function prepareParts(context: QueryContext, parts: readonly Part[]): Prepared {
  const inserts = parts.flatMap(([, , resource, keeps], index) =>
    resource === undefined ? [] : [{ resource, keeps, table: nameOfPart(index) }],
  )
  const only = inserts.filter(({ keeps }) => keeps === 'one')
  const idOf = (resource: Resource): Sql => {
    const insert = only.find((one) => one.resource === resource)
    return insert === undefined ? keptId(context, resource) : sql`(${idsFrom(insert)})`
  }
  let first = 0
  const tables = parts.map(([shape, slots, resource], index) => {
    const returning = resource === undefined ? sql`` : sql` returning ${join(partsOf(rowId(resource)))}`
    const table = sql`${sql.id(nameOfPart(index))} as (${shape.sql(first, idOf)}${returning})`
    first += slots
    return table
  })
  const several = inserts.filter(({ keeps }) => keeps === 'all')
  const ids = [
    ...only.map((one) => sql`${keepId(context, one.resource, one.table)} as ${sql.id(one.table)}`),
    ...several.map((one) => sql`${keepAllIds(context, one.resource, idsFrom(one))} as ${sql.id(one.table)}`),
  ]
  return prepare(context.db, sql`with ${join(tables)} select ${ids.length === 0 ? sql`1 as done` : join(ids)}`)
}

function nameOfPart(index: number): string {
  return `crud_s${index}`
}

function idsFrom({ resource, table }: { readonly resource: Resource; readonly table: string }): Sql {
  return sql`select ${rowId(resource)} from ${sql.id(table)}`
}
