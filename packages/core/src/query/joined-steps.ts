import { sql } from 'kysely'
import { type Model, resourceOf } from '../model/model.ts'
import type { InsertedRow, Step } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import {
  givenIds,
  givesIds,
  idsInStatement,
  idsTable,
  idsTableValues,
  knownIds,
  newRowsOf,
  type ToldRow,
} from './new-ids.ts'
import { type Once, type Prepared, prepare, type Values } from './prepare.ts'
import { join } from './sql-text.ts'
import { stepPart } from './step-part.ts'

/** Several steps as one statement, with its parameters. */
export interface JoinedSteps {
  readonly statement: Prepared
  readonly values: Values
  /** It answers `[stand-in, id]` pairs of new rows in the column `json`. */
  readonly tellsIds: boolean
}

/**
 * Joins steps into one statement. A database that can do so checks foreign keys when all of it is done. New rows that are
 * `named` by others get ids that these find by stand-ins.
 */
export function joinedSteps(
  context: QueryContext,
  model: Model,
  steps: readonly Step[],
  named: ReadonlySet<number>,
  known: ReadonlyMap<number, number>,
  once: Once,
): JoinedSteps {
  const told = steps.flatMap((step, index) => toldRow(model, step, index, named))
  const isTold = (index: number): boolean => told.some(({ insertedBy }) => insertedBy === nameOfPart(index))
  const areNamed = steps.filter((step, index) => givesIds(step, named) && !isTold(index))
  // Rows that are joined to find their owner's id would get their own in any order.
  const areMany = areNamed.some((step) => step.step === 'insert' && step.rows.length > 1)
  const bringIds = areMany ? steps.filter((step, index) => step.step === 'insert' && !isTold(index)) : areNamed
  const newRows = newRowsOf(model, bringIds)
  const tellsIds = told.length + newRows.length > 0
  const newIds = tellsIds ? idsInStatement(known, areMany) : knownIds(known)
  const parts = steps.map((step, index) =>
    stepPart(context, model, step, isTold(index) ? knownIds(known) : newIds, bringIds.includes(step), once),
  )
  const name = `${parts.map((part) => part.name).join('; ')} with ${areMany} ${told.map((row) => row.insertedBy)} ${newRows.map((one) => one.resource.key)}`
  const statement = once(name, () => {
    let first = told.length + newRows.length
    const written = parts.map((part, index) => {
      const [row] = told.filter(({ insertedBy }) => insertedBy === nameOfPart(index))
      const returning = row === undefined ? sql`` : sql` returning ${sql.id(row.idColumn)}`
      const table = sql`${sql.id(nameOfPart(index))} as (${part.sql(first, isTold(index) ? knownIds(known) : newIds)}${returning})`
      first += part.values.length
      return { table, isTold: isTold(index) }
    })
    const tables = [
      ...written.filter((one) => one.isTold).map(({ table }) => table),
      ...(tellsIds ? [idsTable(context, told, newRows)] : []),
      ...written.filter((one) => !one.isTold).map(({ table }) => table),
    ]
    return prepare(context.db, sql`with ${join(tables)} select ${tellsIds ? givenIds() : sql`'[]'`} as json`)
  })
  return {
    statement,
    tellsIds,
    values: [...idsTableValues(context, told, newRows), ...parts.flatMap((part) => part.values)],
  }
}

function nameOfPart(index: number): string {
  return `crud_s${index}`
}

/** A row that is inserted alone and names no new one tells its id as it is inserted. */
function toldRow(model: Model, step: Step, index: number, named: ReadonlySet<number>): ToldRow[] {
  if (step.step !== 'insert' || step.rows.length !== 1) return []
  const [{ id, values }] = step.rows as [InsertedRow]
  const { ownedBy, idColumn } = resourceOf(model, step.resource)
  if (typeof id === 'number' || !named.has(id.new)) return []
  if (ownedBy.some(({ foreignKey }) => typeof values[foreignKey] === 'object' && values[foreignKey] !== null)) return []
  return [{ number: id.new, insertedBy: nameOfPart(index), idColumn }]
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
