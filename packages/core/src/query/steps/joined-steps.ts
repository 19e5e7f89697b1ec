import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { OrderedStep } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import type { Once } from '../text/once.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { join, type Sql } from '../text/sql-text.ts'
import { keepAllIds, keepId, keptId, type NewIds } from './new-ids.ts'
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
  const keptTogether: [Resource, string][] = []
  const returned: ReturnedId[] = []
  for (const { step, table } of parts) {
    if (step.step !== 'insert') continue
    if (newIds.keptTogether.has(step.resource)) keptTogether.push([step.resource, table])
    const number = newIds.onlyRows.get(step.resource)
    if (number === undefined) continue
    inserting.set(step.resource, table)
    returned.push({ number, fromDriver: idSqlOf(context, step.resource).fromDriver })
  }
  const kept = keptTogether.map(([, table]) => table)
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
    for (const [resource, table] of keptTogether) {
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

/**
 * Groups consecutive steps that one statement can do. All parts of a statement see the tables as they were before it, and run in
 * any order. So no part may write a row that another part writes, or take a unique value that another part releases.
 */
export function groupSteps(steps: readonly OrderedStep[]): OrderedStep[][] {
  const groups: OrderedStep[][] = []
  for (const step of steps) {
    const group = groups.at(-1)
    if (group?.every((other) => canJoin(other, step))) group.push(step)
    else groups.push([step])
  }
  return groups
}

function canJoin(a: OrderedStep, b: OrderedStep): boolean {
  const [left, right] = [writtenTable(a), writtenTable(b)]
  if (left.table !== right.table) return true
  // A plan never deletes, updates and inserts the same row. Two steps of one kind may write the same row.
  const kinds = new Set([kindOf(a), kindOf(b)])
  return !left.isUnique && kinds.size === 2 && !kinds.has('any')
}

function kindOf(step: OrderedStep): 'delete' | 'update' | 'insert' | 'any' {
  switch (step.step) {
    case 'delete':
    case 'unlink':
      return 'delete'
    case 'update':
    case 'swap':
      return 'update'
    case 'insert':
    case 'link':
      return 'insert'
    case 'unlinkAll':
    case 'clear':
    case 'release':
    case 'park':
      return 'any'
  }
}

function writtenTable(step: OrderedStep): { table: string; isUnique: boolean } {
  if ('relation' in step && step.relation.kind === 'link') {
    return { table: step.relation.table, isUnique: step.relation.exclusive }
  }
  const { table, uniques } = 'relation' in step ? step.relation.source : step.resource
  return { table, isUnique: uniques.length > 0 }
}
