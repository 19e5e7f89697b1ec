import { type ParameterProblem, shortened } from '../../errors.ts'
import { didYouMean } from '../../model/check/names.ts'
import type { Resource } from '../../model/model.ts'
import {
  aggregateShape,
  type Condition,
  comparesByType,
  EVERYTHING,
  foldsCaseIn,
  pathShape,
  shapeOf,
} from '../condition.ts'
import { dependsOnType, type GroupValue, type Operand } from '../operand.ts'
import { costOf, costOfAggregate, costOfGroupKey } from '../parameters/query-cost.ts'
import { occursTwice, pathProblem, queryProblem, readCount, readNames } from '../parameters/query-problem.ts'
import { readConditions } from '../parameters/read-filter.ts'
import { MOST_KEYS } from '../parameters/read-sort.ts'
import type { Scope } from '../scope.ts'
import { type Count, countShape } from '../scope.ts'
import { type GroupKey, readAggregate, readGroupKey, valueColumn } from './aggregate.ts'

/** What the client of groups asks for, unread. */
export interface GroupRequest {
  readonly limit: number
  /** Default: 0. */
  readonly offset?: number | undefined
  /** Names of {@link GroupKey}s. Default: none, which is one group of all. */
  readonly by?: unknown
  /** Names of {@link GroupValue}s; undefined: `['count()']`. It is what tells groups from other requests. */
  readonly values: unknown
  /** Of rows, in its JSON form. */
  readonly filter?: unknown
  /** Of groups, over the names in `values`. */
  readonly having?: unknown
  readonly sort?: unknown
  /** A {@link Count}, of groups. */
  readonly count?: unknown
  /** The name of the zone in which moments have a year, a month and a day. Default: UTC. */
  readonly timeZone?: unknown
  /** What is wrong with it is told as of a body. */
  readonly isInBody?: boolean
}

/** What groups are to have, checked against the model. Those of one path with equal shapes differ only in values. */
export interface GroupQuery {
  readonly shape: string
  readonly keys: readonly GroupKey[]
  readonly values: readonly GroupValue[]
  readonly condition: Condition
  readonly having: Condition
  readonly sort: readonly GroupSort[]
  readonly count: Count
  /** Undefined: UTC. */
  readonly timeZone: string | undefined
  /** How many rows are read at most. */
  readonly mostRows: number
  readonly foldsCase: boolean
  readonly dependsOnTypes: boolean
  /** See `parameters/query-cost.ts`. */
  readonly cost: number
}

/** The most keys of groups. */
export const MOST_GROUP_KEYS = 4
/** The most values of a group. */
export const MOST_GROUP_VALUES = 20

/** Reads what a client asks of groups. Adds a problem for each thing that is wrong; the query is complete only if there
 * is none. */
export function readGroupQuery(
  resource: Resource,
  request: GroupRequest,
  scope: Scope,
  problems: ParameterProblem[],
): GroupQuery {
  const keys = readEach('by', request.by ?? [], MOST_GROUP_KEYS, problems, (name) =>
    readGroupKey(resource, name, scope),
  )
  const values = readEach('values', request.values ?? ['count()'], MOST_GROUP_VALUES, problems, (name) =>
    readAggregate(resource, name, scope),
  )
  const [condition = EVERYTHING, having = EVERYTHING] = readConditions(
    [
      { parameter: 'filter', given: request.filter, resource },
      { parameter: 'having', given: request.having, operands: operandsOf(values) },
    ],
    scope,
    problems,
  )
  for (const { name, relations, operand } of keys) {
    scope.costs.push({ parameter: 'by', location: `by.${name}`, cost: costOfGroupKey(relations, operand) })
  }
  for (const value of values) {
    scope.costs.push({ parameter: 'values', location: `values.${value.name}`, cost: costOfAggregate(value) })
  }
  const sort = readGroupSort(request.sort ?? [], { keys, values }, problems)
  const count = readCount(request.count, scope.limits.count, problems)
  const timeZone = readZone(request.timeZone, keys, scope, problems)
  const shape = [
    JSON.stringify([...keys, ...values].map(({ name }) => name)),
    keys.map(keyShape).join(),
    values.map(aggregateShape).join(),
    ...[
      shapeOf(condition),
      shapeOf(having),
      groupSortShape(sort),
      countShape(count),
      timeZone === undefined ? '' : 'zone',
    ],
  ].join(' ')
  const operands = [...keys, ...values].flatMap(({ operand }) => operand ?? [])
  return {
    ...{ shape, keys, values, condition, having, sort, count, timeZone },
    mostRows: scope.limits.groupRows,
    foldsCase: foldsCaseIn(condition) || foldsCaseIn(having),
    cost: costOf(scope.costs),
    dependsOnTypes: comparesByType(condition) || comparesByType(having) || operands.some(dependsOnType),
  }
}

function readEach<Read extends object>(
  parameter: string,
  given: unknown,
  most: number,
  problems: ParameterProblem[],
  read: (name: string) => Read | string,
): readonly Read[] {
  const names = readNames(parameter, given, problems)
  if (names.length > most) {
    problems.push(queryProblem(parameter, `${parameter}: has more than ${most} names`, 'maxItems', { limit: most }))
    return []
  }
  return names.flatMap((name) => {
    const one = read(name)
    if (typeof one !== 'string') return [one]
    problems.push(pathProblem(parameter, `${parameter}: '${shortened(name)}': ${one}`, name))
    return []
  })
}

/** What `having` may compare, by its name. */
function operandsOf(values: readonly GroupValue[]): ReadonlyMap<string, Operand> {
  const operands = values.map((aggregate, index): [string, Operand] => {
    return [aggregate.name, { kind: 'aggregate', aggregate, column: valueColumn(index), type: aggregate.type }]
  })
  return new Map(operands)
}

function readZone(
  given: unknown,
  keys: readonly GroupKey[],
  scope: Scope,
  problems: ParameterProblem[],
): string | undefined {
  if (given === undefined) return undefined
  const isUsed = keys.some(({ part, operand }) => part !== undefined && operand.type === 'date-time')
  const problem = isUsed
    ? whyNoZone(given, scope)
    : "says nothing without year(…), month(…) or day(…) of a moment in 'by'"
  if (problem === undefined) return given as string
  problems.push(queryProblem('timeZone', `timeZone: ${problem}`, 'timeZone'))
  return undefined
}

function keyShape({ relations, operand, part }: GroupKey): string {
  return `${part ?? ''}(${pathShape(relations, operand)})`
}

/** The abbreviations of zones, such as `EET`, mean one offset to PostgreSQL, and rules to others. */
const NAME = /^(?:UTC|[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+)$/

/** What is wrong with the name of a time zone; undefined if nothing is. */
function whyNoZone(given: unknown, { hasFunctions }: Scope): string | undefined {
  if (typeof given !== 'string' || !NAME.test(given) || !isKnown(given))
    return 'must be the name of a time zone, such as Europe/Vienna'
  return hasFunctions ? undefined : 'this connection to SQLite knows no time zones; open it by openSqlite'
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** What groups are sorted by: the key or the value with that index. */
interface GroupSort {
  readonly by: 'key' | 'value'
  readonly index: number
  readonly isDescending: boolean
}

interface Named {
  readonly name: string
}

/** Reads sort keys such as `-sum(total)` and `status`. Adds a problem for each thing that is wrong. */
function readGroupSort(
  given: unknown,
  { keys, values }: { readonly keys: readonly Named[]; readonly values: readonly Named[] },
  problems: ParameterProblem[],
): readonly GroupSort[] {
  const names = readNames('sort', given, problems)
  if (names.length > MOST_KEYS) {
    problems.push(queryProblem('sort', `sort: has more than ${MOST_KEYS} keys`, 'maxItems', { limit: MOST_KEYS }))
    return []
  }
  const seen = new Set<string>()
  return names.flatMap((text): readonly GroupSort[] => {
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    if (seen.has(name)) problems.push(occursTwice('sort', name))
    seen.add(name)
    const key = keys.findIndex((one) => one.name === name)
    const value = values.findIndex((one) => one.name === name)
    if (key !== -1) return [{ by: 'key', index: key, isDescending }]
    if (value !== -1) return [{ by: 'value', index: value, isDescending }]
    const hint = didYouMean(name, [...keys, ...values])
    const message = `sort: '${shortened(text)}': is not in 'by' or 'values'${hint}`
    problems.push(pathProblem('sort', message, name))
    return []
  })
}

function groupSortShape(sort: readonly GroupSort[]): string {
  return sort.map(({ by, index, isDescending }) => `${isDescending ? '-' : ''}${by}${index}`).join()
}
