import { isToMany, type Relation } from '../../model/model.ts'
import type { Comparator } from '../condition.ts'
import type { Operand } from '../operand.ts'

/** What a comparison costs, beside one of a column with a value. For a part of a text or an array, the database reads all of it. */
const COMPARATORS: Readonly<Record<Comparator, number>> = {
  eq: 1,
  in: 1,
  lt: 1,
  lte: 1,
  gt: 1,
  gte: 1,
  present: 1,
  // A range of an index.
  startsWith: 1,
  contains: 3,
  endsWith: 3,
  has: 3,
  icontains: 5,
  occurs: 5,
  istartsWith: 5,
}

/** A computed field reads other rows for each row. */
const COMPUTED = 10
const TO_ONE = 1
const TO_MANY = 10

/** What one part of a filter costs, and where it is. */
export interface LocatedCost {
  readonly location: string
  readonly cost: number
}

export function costOfPath(relations: readonly Relation[]): number {
  return relations.reduce((sum, relation) => sum + (isToMany(relation) ? TO_MANY : TO_ONE), 0)
}

export function costOfComparison(operand: Operand, comparator: Comparator): number {
  return COMPARATORS[comparator] + (isComputed(operand) ? COMPUTED : 0)
}

function isComputed(operand: Operand): boolean {
  switch (operand.kind) {
    case 'member':
      return operand.member.kind === 'computed'
    case 'json':
      return operand.field.kind === 'computed'
    case 'id':
    case 'aggregate':
      return false
  }
}

/** A message that says what to leave out of a filter that costs more than it may; undefined if it does not. */
export function whyTooCostly(costs: readonly LocatedCost[], maxCost: number): string | undefined {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0)
  if (total <= maxCost) return undefined
  const excess: LocatedCost[] = []
  let rest = total
  for (const one of [...costs].sort((a, b) => b.cost - a.cost)) {
    if (rest <= maxCost) break
    excess.push(one)
    rest -= one.cost
  }
  const named = excess.slice(0, MOST_NAMED).map(({ location, cost }) => `${location} (${cost})`)
  const others = excess.length > MOST_NAMED ? ` and ${excess.length - MOST_NAMED} more` : ''
  return `costs ${total}, and may cost ${maxCost} (limits.maxCost): leave out, for example, ${named.join(', ')}${others}`
}

/** The most parts that the message names. */
const MOST_NAMED = 3
