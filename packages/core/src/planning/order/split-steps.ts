import type { Resource } from '../../model/model.ts'
import type { Insert } from '../diff/changes.ts'
import { groupBy, isNew, keyOf, type MemberKey } from '../rows.ts'
import { cutStep, type OrderedChanges, type OrderedStep, traitsOf } from './ordered.ts'

/**
 * New rows of a resource, in groups that one INSERT each can write: where the database gives some rows a value and a
 * body gives it to others, their columns differ. A row comes behind the one that owns it.
 */
export function insertedAlike({ members }: Resource, rows: readonly Insert[]): readonly (readonly Insert[])[] {
  const mayDiffer = rows.length > 1 && members.some((member) => member.kind === 'field' && member.hasDbDefault)
  if (!mayDiffer) return [rows]
  if (!rows.some(isBelowItsKind)) return groupBy(rows, ({ values }) => keyOf(values)).map(([, alike]) => alike)
  const runs: Insert[][] = []
  let last: MemberKey | undefined
  for (const row of rows) {
    const key = keyOf(row.values)
    if (key === last) runs.at(-1)?.push(row)
    else runs.push([row])
    last = key
  }
  return runs
}

/** Whether its owner may be among the same rows. */
function isBelowItsKind({ resource, owner }: Insert): boolean {
  return owner !== undefined && isNew(owner.id) && owner.by.target === resource
}

/** A step for each row that the step writes. What it removes goes in one step: there is no row to point to. */
export function oneRowEach(step: OrderedStep): readonly OrderedStep[] {
  return traitsOf(step).isOfBody ? cutStep(step, 1) : [step]
}

/** The step in portions of so many rows or ids, unless it has to be one. */
export function portionsOf(step: OrderedStep, most: number): readonly OrderedStep[] {
  return isWhole(step) ? [step] : cutStep(step, most)
}

/** Rows that may name each other are written in one step: a database that checks foreign keys as each statement ends
 * would miss the rows of the next portion. */
function isWhole(step: OrderedStep): boolean {
  if (step.step === 'insert' || step.step === 'delete') return namesItsTable(step.resource)
  return step.step === 'swap' || (step.step === 'clear' && step.except !== undefined)
}

function namesItsTable({ table, references, ownedBy }: Resource): boolean {
  return [...references, ...ownedBy].some(({ target }) => target.table === table)
}

/** The steps where each new row of some resources is a statement of its own. */
export function withSingleInserts(ordered: OrderedChanges, resources: ReadonlySet<Resource>): OrderedChanges {
  if (resources.size === 0) return ordered
  const isSplit = (step: OrderedStep) => step.step === 'insert' && resources.has(step.resource)
  return { ...ordered, steps: ordered.steps.flatMap((step) => (isSplit(step) ? oneRowEach(step) : [step])) }
}

/**
 * The steps for a database that swaps values in one statement behind which it checks a deferrable key. The keys of
 * records that can be marked as deleted are partial indexes, which are not deferrable. So the rows hold no value of
 * theirs for a moment: they are marked meanwhile.
 */
export function withMarkedSwaps({ steps }: OrderedChanges, at: Date): readonly OrderedStep[] {
  return steps.flatMap((step): readonly OrderedStep[] => {
    if (step.step !== 'swap' || step.resource.softDelete === undefined) return [step]
    const { resource, rows, parked } = step
    const ids = parked.map(({ id }) => id)
    return [
      { step: 'stamp', resource, ids, at: at.toISOString() },
      { step: 'update', resource, rows },
      { step: 'restore', resource, ids },
    ]
  })
}

/** The steps for a database that checks every unique key row by row: rows that swap values are parked first, wherever
 * it is. */
export function withoutSwaps({ steps, rowByRow }: OrderedChanges): readonly OrderedStep[] {
  if (!steps.some(({ step }) => step === 'swap')) return steps
  return steps.flatMap((step): readonly OrderedStep[] => {
    if (step.step !== 'swap') return [step]
    const { resource, rows, parked } = step
    const parkedFirst: readonly OrderedStep[] = [
      { step: 'park', resource, rows: parked },
      { step: 'update', resource, rows },
    ]
    return rowByRow ? parkedFirst.flatMap(oneRowEach) : parkedFirst
  })
}

/**
 * Groups consecutive steps that one statement can do. All parts of a statement see the tables as they were before it,
 * and run in any order. So no part may write a row that another part writes, or take a unique value that another part
 * releases.
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
  const kinds = new Set([traitsOf(a).does, traitsOf(b).does])
  return !left.isUnique && !right.isUnique && kinds.size === 2 && !kinds.has('any')
}

function writtenTable(step: OrderedStep): { table: string; isUnique: boolean } {
  if ('relation' in step && step.relation.kind === 'link') {
    return { table: step.relation.table, isUnique: step.relation.exclusive }
  }
  const { table, uniques } = 'relation' in step ? step.relation.source : step.resource
  return { table, isUnique: uniques.length > 0 }
}
