import type { ParameterProblem } from '../../errors.ts'
import { isToMany, type Relation, type SearchField } from '../../model/model.ts'
import type { Comparator } from '../condition.ts'
import type { GroupValue, Operand } from '../operand.ts'
import type { ScalarType } from '../scalar-type.ts'
import type { LocatedCost } from '../scope.ts'
import { queryProblem } from './query-problem.ts'

/** What a comparison costs, beside one of a column with a value. For a part of a text or an array, the database reads
 * all of it. */
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
  iendsWith: 5,
}

/** A computed field reads other rows for each row. */
const COMPUTED = 10
const TO_ONE = 1
const TO_MANY = 10
/** Of texts that the database takes apart for each row. For a moment, PostgreSQL needs several regular expressions. */
const PARSED: { readonly [Type in ScalarType]?: number } = {
  'date-time': 9,
  'date-time-range': 4,
  'date-range': 4,
  duration: 4,
  decimal: 4,
}
/** The lower case of a text. */
const LOWERED = 4
/** In sorts and groups, the other record is looked up for each row. */
const LOOK_UP = 5
/** Rows that name one record have the database count its related records again and again. A record owns few others, but
 * many may name it. */
const OWNED_AGAIN = 4
const NAMED_AGAIN = 10
/** A word of a search costs as much less if others are before it. */
const NEXT_WORD = 4
const GROUP_KEY = 5
const GROUP_VALUE = 3
const COUNT_OF_PAGE = 2
/** So many names of `fields` cost 1. */
const NAMES = 10
/** So many records of an array that a query adds cost 1. */
const ADDED_RECORDS = 5_000

/** Of a condition behind a path: the database looks through the records at its end once. */
export function costOfPath(relations: readonly Relation[]): number {
  return relations.reduce((sum, relation) => sum + (isToMany(relation) ? TO_MANY : TO_ONE), 0)
}

export function costOfComparison(operand: Operand, comparator: Comparator): number {
  const parsed = comparator === 'present' || operand.kind === 'aggregate' ? 0 : costOfType(operand)
  return COMPARATORS[comparator] + parsed + (computedIn(operand) === undefined ? 0 : COMPUTED)
}

/** Of a word that is looked for in these fields. Words after the first one are looked for only where those before them
 * are. */
export function costOfWord(fields: readonly SearchField[], index: number): number {
  const cost = fields.reduce((sum, { relations, value }) => {
    return sum + costOfPath(relations) + COMPARATORS.icontains + (value.kind === 'computed' ? COMPUTED : 0)
  }, 0)
  return index === 0 ? cost : Math.ceil(cost / NEXT_WORD)
}

/** The computed field that an operand is, or is inside of. */
function computedIn(operand: Operand) {
  if (operand.kind === 'json') return operand.field.kind === 'computed' ? operand.field : undefined
  return operand.kind === 'member' && operand.member.kind === 'computed' ? operand.member : undefined
}

/** Of a value that is made for each row, at the end of a path that leads to one record at most. */
function costOfValue(relations: readonly Relation[], operand: Operand): number {
  const made = computedIn(operand)?.value
  const readsRelated = made !== undefined && made.kind !== 'expression' && relations.length > 0
  const computed = made === undefined ? 0 : COMPUTED * (readsRelated ? timesAgain(made.relation) : 1)
  return relations.length * LOOK_UP + computed
}

function costOfType({ type }: Operand): number {
  return (type && PARSED[type]) ?? 0
}

export function costOfSortedValue(relations: readonly Relation[], operand: Operand, isLowered: boolean): number {
  return 1 + costOfValue(relations, operand) + costOfType(operand) + (isLowered ? LOWERED : 0)
}

/** Of a sort by the number of records behind the last relation. */
export function costOfSortedCount(relations: readonly Relation[]): number {
  const before = relations.length - 1
  return before * LOOK_UP + TO_MANY * (before > 0 ? timesAgain(relations.at(-1) as Relation) : 1)
}

function timesAgain({ kind }: Relation): number {
  return kind === 'owns' ? OWNED_AGAIN : NAMED_AGAIN
}

export function costOfGroupKey(relations: readonly Relation[], operand: Operand): number {
  return GROUP_KEY + costOfValue(relations, operand) + costOfType(operand)
}

export function costOfAggregate({ word, relations, operand }: GroupValue): number {
  if (operand === undefined) return 1
  return GROUP_VALUE + costOfValue(relations, operand) + (word === 'count' ? 0 : costOfType(operand))
}

/** Of a count that is made for the records of a page. */
export function costOfShownCount(): number {
  return COUNT_OF_PAGE
}

export function costOfNames(names: readonly string[]): number {
  return Math.floor(names.length / NAMES)
}

/** Of related records that are shown, of which there may be so many. */
export function costOfRelated(mostRecords: number): number {
  return 1 + Math.floor(mostRecords / ADDED_RECORDS)
}

/** A problem for each parameter that has a part which is to be left out of a query that costs more than it may. */
export function problemsOfCost(costs: readonly LocatedCost[], maxCost: number): readonly ParameterProblem[] {
  const total = costOf(costs)
  if (total <= maxCost) return []
  const excess = new Map<string, LocatedCost[]>()
  let rest = total
  for (const one of [...costs].sort((a, b) => b.cost - a.cost)) {
    if (rest <= maxCost) break
    excess.set(one.parameter, [...(excess.get(one.parameter) ?? []), one])
    rest -= one.cost
  }
  return [...excess].map(([parameter, parts]) => {
    const named = parts.slice(0, MOST_NAMED).map(({ location, cost }) => `${location} (${cost})`)
    const others = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : ''
    const message = `${parameter}: the query costs ${total}, and may cost ${maxCost} (limits.maxCost): leave out, for example, ${named.join(', ')}${others}`
    return queryProblem(parameter, message, 'maxCost', { limit: maxCost })
  })
}

export function costOf(costs: readonly LocatedCost[]): number {
  return costs.reduce((sum, { cost }) => sum + cost, 0)
}

/** The most parts that a message names. */
const MOST_NAMED = 3
