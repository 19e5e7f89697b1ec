import { sql } from 'kysely'
import { type Model, resourceOf } from '../model/model.ts'
import type { Step } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import { givenIds, idsInStatement, idsTable, idsTableValues, knownIds, type NewRows } from './new-ids.ts'
import { type Once, type Prepared, prepare, type Values } from './prepare.ts'
import { join } from './sql-text.ts'
import { stepPart } from './step-part.ts'

/** Several steps as one statement, with its parameters; it answers `[number, id]` pairs in the column `json`. */
export interface JoinedSteps {
  readonly statement: Prepared
  readonly values: Values
}

/** Joins steps into one statement. A database that can do so checks foreign keys when all of it is done. */
export function joinedSteps(
  context: QueryContext,
  model: Model,
  steps: readonly Step[],
  newRows: NewRows,
  known: ReadonlyMap<number, number>,
  once: Once,
): JoinedSteps {
  const newIds = newRows.length === 0 ? knownIds(known) : idsInStatement(known)
  const parts = steps.map((step) => stepPart(context, model, step, newIds, true, once))
  const name = `${parts.map((part) => part.name).join('; ')} with ${newRows.map((one) => one.resource.key)}`
  const statement = once(name, () => {
    let first = newRows.length
    const written = parts.map((part, index) => {
      const statement = part.sql(first, newIds)
      first += part.values.length
      return sql`${sql.id(`crud_s${index}`)} as (${statement})`
    })
    const tables = newRows.length === 0 ? written : [idsTable(context, newRows), ...written]
    const answer = newRows.length === 0 ? sql`'[]'` : givenIds()
    return prepare(context.db, sql`with ${join(tables)} select ${answer} as json`)
  })
  return { statement, values: [...idsTableValues(newRows), ...parts.flatMap((part) => part.values)] }
}

/**
 * Puts consecutive steps together that one statement can do: its parts all see the tables as they were before, and come
 * in any order. So no part may write a row that another one writes, nor take a unique value that another one gives free.
 */
export function groupSteps(model: Model, steps: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  for (const step of steps) {
    const group = groups.at(-1)
    if (group?.every((other) => canJoin(model, other, step))) group.push(step)
    else groups.push([step])
  }
  return groups
}

function canJoin(model: Model, a: Step, b: Step): boolean {
  const [left, right] = [tableOf(model, a), tableOf(model, b)]
  if (left.table !== right.table) return true
  // Rows that are deleted, updated and inserted are never the same ones; two steps of one kind may write the same.
  const kinds = new Set([kindOf(a), kindOf(b)])
  return !left.isUnique && kinds.size === 2 && !kinds.has('any')
}

function kindOf(step: Step): 'delete' | 'update' | 'insert' | 'any' {
  switch (step.step) {
    case 'delete':
    case 'unlink':
      return 'delete'
    case 'update':
      return 'update'
    case 'insert':
    case 'link':
      return 'insert'
    case 'unlinkAll':
    case 'clear':
    case 'park':
      return 'any'
  }
}

function tableOf(model: Model, step: Step): { table: string; isUnique: boolean } {
  if ('resource' in step) {
    const { table, uniques } = resourceOf(model, step.resource)
    return { table, isUnique: uniques.length > 0 }
  }
  const source = resourceOf(model, step.relation.resource)
  const link = source.links.find((one) => one.name === step.relation.relation)
  if (link !== undefined) return { table: link.table, isUnique: link.exclusive }
  return { table: source.table, isUnique: source.uniques.length > 0 }
}
