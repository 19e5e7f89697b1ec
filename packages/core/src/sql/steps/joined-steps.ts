import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { assignedBy, type NewIds } from '../../planning/order/new-ids.ts'
import { type OrderedStep, rowsOfStep } from '../../planning/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import type { Pipelining } from '../dialect/dialect.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare, type SlotValues } from '../text/prepare.ts'
import { join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { keepAllIds, keepId, keptId } from './reserved-ids.ts'
import type { StepShape } from './step-shape.ts'
import type { Steps } from './steps.ts'

/** Several steps as one statement, with its values. */
export interface JoinedSteps {
  readonly statement: Prepared
  readonly values: SlotValues
  /** The new rows whose ids it returns, in the order of the columns of its only row. */
  readonly returned: readonly ReturnedId[]
}

export interface ReturnedId {
  /** The new row's. */
  readonly number: number
  fromText(text: string): Id
}

/** A step, whether its rows are counted, and of an INSERT whether the transaction keeps the id of its only row or all
 * of them, if these are needed. */
type Part =
  | readonly [shape: StepShape, slots: number, isCounted: boolean]
  | readonly [shape: StepShape, slots: number, isCounted: boolean, inserted: Resource, keeps: 'one' | 'all']

/**
 * Joins steps into one statement of PostgreSQL. The statement keeps the ids of new rows in the transaction, where later
 * statements find them. Its own parts find such an id in the part that inserts the row. The statement counts its rows:
 * a trigger, a rule or a policy of the database may have left one as it is, without an error.
 */
export function joinedStepsOf(
  context: QueryContext,
  { failIfFewer }: Pipelining,
  stepsAsSql: Steps,
  statements: StatementCache,
): (steps: readonly OrderedStep[], newIds: NewIds, hasSettings: boolean) => JoinedSteps {
  const statementOf = statements.each((context, parts: readonly Part[]) => prepareParts(context, parts, failIfFewer))
  return (steps, newIds, hasSettings) => {
    const returned: ReturnedId[] = []
    const all: unknown[] = []
    let expected = 0
    const parts = steps.map((step): Part => {
      const { shape, values } = stepsAsSql.part(step, newIds)
      all.push(...values)
      const rows = rowsOfStep(step)
      if (step.step !== 'insert') {
        expected += rows ?? 0
        return [shape, values.length, rows !== undefined]
      }
      const { resource } = step
      const number = assignedBy(step, newIds)
      const keeps = number !== undefined ? 'one' : newIds.keptByTransaction.has(resource) ? 'all' : undefined
      if (number !== undefined) returned.push({ number, fromText: idSqlOf(context, resource).fromText })
      // PostgreSQL's policies refuse new rows with an error, also one that is returned and may not be seen.
      const isCounted = keeps !== undefined || !hasSettings
      if (isCounted) expected += step.rows.length
      return keeps === undefined
        ? [shape, values.length, isCounted]
        : [shape, values.length, isCounted, resource, keeps]
    })
    if (parts.some(([, , isCounted]) => isCounted)) all.push(expected)
    return { statement: statementOf(parts), returned, values: all }
  }
}

function prepareParts(context: QueryContext, parts: readonly Part[], failIfFewer: Pipelining['failIfFewer']): Prepared {
  const inserts = parts.flatMap(([, , , resource, keeps], index) =>
    resource === undefined ? [] : [{ resource, keeps, table: nameOfPart(index) }],
  )
  const only = inserts.filter(({ keeps }) => keeps === 'one')
  const idOf = (resource: Resource): Sql => {
    const insert = only.find((one) => one.resource === resource)
    return insert === undefined ? keptId(context, resource) : sql`(${idsFrom(insert)})`
  }
  let first = 0
  const written: Sql[] = []
  const tables = parts.map(([shape, slots, isCounted, resource], index) => {
    const name = sql.id(nameOfPart(index))
    const returning = resource === undefined ? sql`1` : join(partsOf(rowId(resource)))
    if (isCounted) written.push(sql`(select count(*) from ${name})`)
    if (isCounted && shape.countThere !== undefined) written.push(sql`(${shape.countThere(first, idOf)})`)
    const table = sql`${name} as (${shape.sql(first, idOf)}${isCounted || resource ? sql` returning ${returning}` : sql``})`
    first += slots
    return table
  })
  const several = inserts.filter(({ keeps }) => keeps === 'all')
  const done = written.length === 0 ? sql`1` : failIfFewer(join(written, sql` + `), slot(first))
  const columns = [
    ...only.map((one) => sql`${keepId(context, one.resource, one.table)} as ${sql.id(one.table)}`),
    ...several.map((one) => sql`${keepAllIds(context, one.resource, idsFrom(one))} as ${sql.id(one.table)}`),
    sql`${done} as done`,
  ]
  return prepare(context.db, sql`with ${join(tables)} select ${join(columns)}`)
}

function nameOfPart(index: number): string {
  return `crud_s${index}`
}

function idsFrom({ resource, table }: { readonly resource: Resource; readonly table: string }): Sql {
  return sql`select ${rowId(resource)} from ${sql.id(table)}`
}
