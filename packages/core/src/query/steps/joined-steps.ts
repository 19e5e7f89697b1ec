import { sql } from 'kysely'
import type { OrderedStep } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import type { Once } from '../once.ts'
import { type Prepared, prepare, type Values } from '../prepare.ts'
import { join, slot } from '../sql-text.ts'
import {
  givenId,
  givenIds,
  givesIds,
  idsInStatement,
  idsTable,
  idsTableValues,
  type KnownIds,
  knownIds,
  loneRow,
  newRowsOf,
  numbersOf,
  standIn,
  type ToldRow,
} from './new-ids.ts'
import type { Steps } from './steps.ts'

/** Several steps as one statement, with its parameters. */
export interface JoinedSteps {
  readonly statement: Prepared
  readonly values: Values
  /** It answers `[stand-in, id]` pairs of new rows in the column `json`. */
  readonly tellsIds: boolean
}

/** What is known of the new rows of a plan while its steps become statements. */
export interface NewRowsOfPlan {
  /** The numbers of those that others name. */
  readonly named: ReadonlySet<number>
  /** The ids of those that are inserted. */
  readonly known: KnownIds
  /** The number of the one whose id is to be kept; undefined if it is none. */
  readonly kept: number | undefined
}

/**
 * Joins steps into one statement. A database that can do so checks foreign keys when all of it is done. New rows that are
 * named by others get ids that these find by stand-ins.
 */
export function joinedSteps(
  context: QueryContext,
  steps: readonly OrderedStep[],
  { named, known, kept }: NewRowsOfPlan,
  stepsAsSql: Steps,
  once: Once,
): JoinedSteps {
  const told = toldRows(steps, named)
  const areNamed = steps.filter((step) => givesIds(step, named) && !told.has(step))
  // Rows that are joined to find their owner's id would get their own in any order.
  const isJoined = areNamed.some((step) => step.step === 'insert' && step.rows.length > 1)
  const bringIds = isJoined ? steps.filter((step) => step.step === 'insert' && !told.has(step)) : areNamed
  const newRows = newRowsOf(bringIds)
  const tellsIds = told.size + newRows.length > 0
  const parts = steps.map((step, index) => {
    const { shape, values } = stepsAsSql.part(step, known, bringIds.includes(step))
    return { shape, values, told: told.get(step), table: nameOfPart(index) }
  })
  const toldInOrder = [...told.values()]
  const keeps = kept !== undefined && numbersOf(toldInOrder, newRows).includes(kept)
  const name = `${parts.map((part) => part.shape.name).join('; ')} with ${isJoined} ${toldInOrder.map((row) => row.insertedBy)} ${newRows.map((one) => one.resource.key)} ${keeps}`
  const statement = once(name, () => {
    let first = told.size + newRows.length
    const newIds = tellsIds ? idsInStatement(isJoined) : knownIds
    const tables = parts.map((part) => {
      const returning = part.told === undefined ? sql`` : sql` returning ${sql.id(part.told.idColumn)}`
      const ids = part.told === undefined ? newIds : knownIds
      const table = sql`${sql.id(part.table)} as (${part.shape.sql(first, ids)}${returning})`
      first += part.values.length
      return table
    })
    const all = [
      ...tables.filter((_, index) => parts[index]?.told !== undefined),
      ...(tellsIds ? [idsTable(context, toldInOrder, newRows)] : []),
      ...tables.filter((_, index) => parts[index]?.told === undefined),
    ]
    const isLone = newRows.length === 0 && told.size === 1
    const ids = sql`${tellsIds ? givenIds(isLone) : sql`'[]'`} as json`
    const answer = keeps ? [ids, sql`${context.dialect.ahead?.keepId(givenId(slot(first)))} as kept`] : [ids]
    return prepare(context.db, sql`with ${join(all)} select ${join(answer)}`)
  })
  const values = [...idsTableValues(context, toldInOrder, newRows), ...parts.flatMap((part) => part.values)]
  if (keeps) values.push(standIn(kept))
  return { statement, tellsIds, values }
}

function nameOfPart(index: number): string {
  return `crud_s${index}`
}

/** Rows that are inserted alone and name no new one tell their ids as they are inserted. */
function toldRows(steps: readonly OrderedStep[], named: ReadonlySet<number>): ReadonlyMap<OrderedStep, ToldRow> {
  const told = new Map<OrderedStep, ToldRow>()
  for (const [index, step] of steps.entries()) {
    const row = loneRow(step)
    if (row === undefined || step.step !== 'insert' || !named.has(row.new)) continue
    const { ownedBy, members, idColumn } = step.resource
    // Without any column there is none to insert but the id.
    if (ownedBy.length + members.length === 0) continue
    const namesNew = typeof step.rows[0]?.owner?.id === 'object'
    if (!namesNew) told.set(step, { number: row.new, insertedBy: nameOfPart(index), idColumn })
  }
  return told
}

/**
 * Puts consecutive steps together that one statement can do: its parts all see the tables as they were before, and come
 * in any order. So no part may write a row that another one writes, nor take a unique value that another one gives free.
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
  const [left, right] = [tableOf(a), tableOf(b)]
  if (left.table !== right.table) return true
  // Rows that are deleted, updated and inserted are never the same ones; two steps of one kind may write the same.
  const kinds = new Set([kindOf(a), kindOf(b)])
  return !left.isUnique && kinds.size === 2 && !kinds.has('any')
}

function kindOf(step: OrderedStep): 'delete' | 'update' | 'insert' | 'any' {
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
    case 'release':
    case 'park':
      return 'any'
  }
}

function tableOf(step: OrderedStep): { table: string; isUnique: boolean } {
  if ('relation' in step && step.relation.kind === 'link') {
    return { table: step.relation.table, isUnique: step.relation.exclusive }
  }
  const { table, uniques } = 'relation' in step ? step.relation.source : step.resource
  return { table, isUnique: uniques.length > 0 }
}
