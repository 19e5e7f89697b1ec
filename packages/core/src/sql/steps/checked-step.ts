import { sql } from 'kysely'
import type { NewIds } from '../../planning/order/new-ids.ts'
import type { OrderedStep } from '../../planning/order/ordered.ts'
import type { Pipelining } from '../dialect/dialect.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { keptId } from './kept-ids.ts'
import type { StepShape } from './step-shape.ts'
import type { Steps } from './steps.ts'

/** A statement that fails unless it writes every row of its step. */
export interface CheckedStep {
  readonly statement: Prepared
  readonly values: Values
}

/**
 * A step that changes or deletes rows, as a statement of its own. PostgreSQL's policies may leave such rows as they are without an
 * error, so the statement counts. Undefined for other steps: new rows are an error there, and other rows may have been let go before.
 */
export function checkedSteps(
  { failIfFewer }: Pipelining,
  steps: Steps,
  statements: StatementCache,
): (step: OrderedStep, newIds: NewIds) => CheckedStep | undefined {
  const statementOf = statements.each((context, shape: StepShape, slots: number) => {
    const written = sql.id('crud_written')
    const change = shape.sql(0, (resource) => keptId(context, resource))
    const check = failIfFewer(sql`(select count(*) from ${written})`, slot(slots))
    return prepare(context.db, sql`with ${written} as (${change} returning 1) select ${check} as done`)
  })
  return (step, newIds) => {
    const count = rowsIn(step)
    if (count === undefined) return undefined
    const { shape, values } = steps.part(step, newIds)
    return { statement: statementOf(shape, values.length), values: [...values, count] }
  }
}

function rowsIn(step: OrderedStep): number | undefined {
  switch (step.step) {
    case 'park':
    case 'update':
    case 'swap':
      return step.rows.length
    case 'delete':
    case 'stamp':
    case 'restore':
      return step.ids.length
    default:
      return undefined
  }
}
