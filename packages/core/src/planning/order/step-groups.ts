import type { OrderedStep } from './ordered.ts'

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
  return !left.isUnique && !right.isUnique && kinds.size === 2 && !kinds.has('any')
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
    case 'stamp':
    case 'restore':
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
