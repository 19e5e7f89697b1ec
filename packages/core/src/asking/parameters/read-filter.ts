import { type Fault, type ParameterProblem, shortened } from '../../errors.ts'
import { didYouMean } from '../../model/check/names.ts'
import { idFormBehind } from '../../model/ids/short-id.ts'
import { isObject } from '../../model/is-object.ts'
import { isToMany, type Relation, type Resource } from '../../model/model.ts'
import { pointerStep } from '../../problem.ts'
import { along, type Condition, EVERYTHING, not } from '../condition.ts'
import { type Operand, type PathEnd, readPath } from '../operand.ts'
import { MOST_PROBLEMS, type Scope, whyIncomparable } from '../scope.ts'
import { isOperator, operatorsOf, readComparison } from './operators.ts'
import { costOfComparison, costOfPath } from './query-cost.ts'
import { queryProblem, spelledIn } from './query-problem.ts'
import { mustBe, Spelling } from './read-value.ts'

/** A filter in its JSON form, and what it is about: the records of a resource, or values that have names of their
 * own. */
type GivenFilter = {
  /** The parameter that has it. */
  readonly parameter: 'filter' | 'having'
  /** Undefined: there is none. */
  readonly given: unknown
} & ({ readonly resource: Resource } | { readonly operands: ReadonlyMap<string, Operand> })

/** Reads a filter of records in its JSON form. See {@link readConditions}. */
export function readFilter(resource: Resource, given: unknown, scope: Scope, problems: ParameterProblem[]): Condition {
  const [condition = EVERYTHING] = readConditions([{ parameter: 'filter', given, resource }], scope, problems)
  return condition
}

/**
 * Reads the filters of one query, which share its limits. Adds a message for each thing that is wrong with them, which
 * names its location. The conditions are complete only if there is none.
 */
export function readConditions(
  filters: readonly GivenFilter[],
  scope: Scope,
  problems: ParameterProblem[],
): readonly Condition[] {
  const counted = { conditions: 0 }
  const conditions = filters.map((filter) => {
    const { parameter, given } = filter
    if (given === undefined) return EVERYTHING
    return readLevel(endsOf(filter), given, { text: parameter, pointer: '' }, 1, {
      parameter,
      scope,
      problems,
      counted,
    })
  })
  const { maxFilters } = scope.limits
  if (counted.conditions > maxFilters) {
    const message = `filter: has more than ${maxFilters} conditions`
    problems.push(queryProblem('filter', message, 'maxFilters', { limit: maxFilters }))
  }
  return conditions
}

interface FilterReading {
  readonly parameter: GivenFilter['parameter']
  readonly scope: Scope
  readonly problems: ParameterProblem[]
  readonly counted: { conditions: number }
}

/** Where a path of a filter ends, or a message that says what is wrong with it. */
type Ends = (path: string, scope: Scope) => PathEnd | string

function endsOf(filter: GivenFilter): Ends {
  if ('resource' in filter) return endsFrom(filter.resource)
  const { operands } = filter
  return (name) => {
    const operand = operands.get(name)
    if (operand !== undefined) return { relations: [], operand }
    return `'${shortened(name)}' is not in 'values'${didYouMean(name, [...operands.keys()])}`
  }
}

function endsFrom(resource: Resource): Ends {
  return (path, scope) => readPath(resource, path, scope)
}

/** A part of a filter. */
interface Location {
  /** In messages, such as `filter.and[0]`. */
  readonly text: string
  /** From the parameter, as a JSON pointer: `/and/0`. */
  readonly pointer: string
}

function entryOf({ text, pointer }: Location, name: string): Location {
  return { text: `${text}.${shortened(name)}`, pointer: `${pointer}/${pointerStep(name)}` }
}

function elementOf({ text, pointer }: Location, index: number): Location {
  return { text: `${text}[${index}]`, pointer: `${pointer}/${index}` }
}

/** Adds what is wrong with a value. */
function refuse(
  { parameter, problems, scope }: FilterReading,
  { text, pointer }: Location,
  value: unknown,
  fault: Fault,
): void {
  const within = scope.isInBody ? { within: pointer } : {}
  problems.push({ parameter: spelledIn(value) ?? parameter, ...within, ...fault, message: `${text}: ${fault.message}` })
}

function readLevel(ends: Ends, filter: unknown, location: Location, level: number, reading: FilterReading): Condition {
  const { maxFilterDepth: limit } = reading.scope.limits
  if (!isObject(filter) || filter instanceof Spelling) {
    refuse(reading, location, filter, mustBe('object', 'must be an object, such as {"title":"Emma"}'))
    return EVERYTHING
  }
  if (level > limit) {
    const message = `filters are nested more than ${limit} levels deep`
    refuse(reading, location, filter, { message, keyword: 'maxFilterDepth', params: { limit } })
    return EVERYTHING
  }
  const conditions = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [readEntry(ends, name, value, entryOf(location, name), level, reading)],
  )
  return conditions.length === 0 ? EVERYTHING : { kind: 'all', conditions }
}

function readEntry(
  ends: Ends,
  name: string,
  value: unknown,
  location: Location,
  level: number,
  reading: FilterReading,
): Condition {
  switch (name) {
    case 'and':
      return { kind: 'all', conditions: readSeveral(ends, value, location, level, reading) }
    case 'or': {
      const conditions = readSeveral(ends, value, location, level, reading)
      if (Array.isArray(value) && value.length === 0) {
        refuse(reading, location, value, { message: 'must not be empty', keyword: 'minItems', params: { limit: 1 } })
      }
      return { kind: 'any', conditions }
    }
    case 'not':
      return not(readLevel(ends, value, location, level + 1, reading))
    default:
      return readCondition(ends, name, value, location, level, reading)
  }
}

function readSeveral(
  ends: Ends,
  value: unknown,
  location: Location,
  level: number,
  reading: FilterReading,
): readonly Condition[] {
  if (!Array.isArray(value)) {
    refuse(reading, location, value, mustBe('array', 'must be an array of filters'))
    return []
  }
  return value.map((one, index) => {
    const before = reading.counted.conditions
    const condition = readLevel(ends, one, elementOf(location, index), level + 1, reading)
    // A filter without a condition counts as one: otherwise there could be any number of them.
    if (reading.counted.conditions === before) reading.counted.conditions += 1
    return condition
  })
}

function readCondition(
  ends: Ends,
  path: string,
  value: unknown,
  location: Location,
  level: number,
  reading: FilterReading,
): Condition {
  if (reading.problems.length >= MOST_PROBLEMS) return EVERYTHING
  const end = ends(path, reading.scope)
  if (typeof end === 'string') {
    refuse(reading, location, value, { message: end, keyword: 'path', params: { path: shortened(path) } })
    return EVERYTHING
  }
  const { relations, operand } = end
  if (operand === undefined) return readRelated(relations, path, value, location, level, reading)
  return { kind: 'all', conditions: readOperators(relations, operand, value, location, reading) }
}

/** `{ some: … }`, `{ every: … }`, `{ none: … }` of the records at the end of a path. */
function readRelated(
  relations: readonly Relation[],
  path: string,
  value: unknown,
  location: Location,
  level: number,
  reading: FilterReading,
): Condition {
  const last = relations.at(-1) as Relation
  if (!isToMany(last)) {
    const message = `names a record; name one of its fields, such as '${last.name}.id'`
    refuse(reading, location, value, { message, keyword: 'path', params: { path: shortened(path) } })
    return EVERYTHING
  }
  const entries = isObject(value) ? Object.entries(value).filter(([, filter]) => filter !== undefined) : []
  if (entries.length === 0) {
    refuse(reading, location, value, mustBe('object', "must be an object with 'some', 'every' or 'none'"))
  }
  const before = relations.slice(0, -1)
  const conditions = entries.map(([word, filter]) => {
    reading.counted.conditions += 1
    const at = entryOf(location, word)
    reading.scope.costs.push({ parameter: reading.parameter, location: at.text, cost: costOfPath(relations) })
    const inside = { ...reading, scope: { ...reading.scope, ids: idFormBehind(last) } }
    const condition = readLevel(endsFrom(last.target), filter, at, level + 1, inside)
    switch (word) {
      case 'some':
        return along(relations, condition)
      case 'none':
        return placed(before, along([last], condition), true)
      case 'every':
        return placed(before, along([last], not(condition)), true)
      default:
        refuse(
          reading,
          location,
          filter,
          noSuchOperator(word, `is not a quantifier: use some, every or none`, QUANTIFIERS),
        )
        return EVERYTHING
    }
  })
  return { kind: 'all', conditions }
}

const QUANTIFIERS = ['some', 'every', 'none']

function noSuchOperator(operator: string, why: string, allowedValues: readonly string[]): Fault {
  const name = shortened(operator)
  return { message: `'${name}' ${why}`, keyword: 'operator', params: { operator: name, allowedValues } }
}

function readOperators(
  relations: readonly Relation[],
  operand: Operand,
  value: unknown,
  location: Location,
  reading: FilterReading,
): readonly Condition[] {
  const incomparable = whyIncomparable(operand.type, reading.scope)
  if (incomparable !== undefined) {
    refuse(reading, location, value, { message: incomparable, keyword: 'comparable', params: { type: operand.type } })
    return []
  }
  const given = isObject(value) && !(value instanceof Spelling) ? Object.entries(value) : [['eq', value] as const]
  if (given.length === 0) {
    const message = 'must be a value, or an object with an operator, such as {"gte":5}'
    refuse(reading, location, value, { message, keyword: 'minProperties', params: { limit: 1 } })
  }
  return given.flatMap(([name, operatorValue]) => {
    if (operatorValue === undefined) return []
    reading.counted.conditions += 1
    const known = operatorsOf(operand)
    if (!isOperator(name) || !known.includes(name)) {
      const what = isOperator(name) ? 'does not fit this value' : 'is not an operator'
      const hint = isOperator(name) ? `; use one of ${known.join(', ')}` : didYouMean(name, known)
      refuse(reading, location, operatorValue, noSuchOperator(name, `${what}${hint}`, known))
      return []
    }
    const read = readComparison(operand, name, operatorValue)
    const at = given.length === 1 && name === 'eq' ? location : entryOf(location, name)
    if ('problem' in read) {
      refuse(reading, at, operatorValue, read.problem)
      return []
    }
    const cost = costOfPath(relations) + costOfComparison(operand, read.comparison.comparator)
    reading.scope.costs.push({ parameter: reading.parameter, location: at.text, cost })
    return [placed(relations, read.comparison, read.isOpposite)]
  })
}

/** The condition at the end of a path. Its opposite is about the single record, if any, behind the last relation to
 * many. */
function placed(relations: readonly Relation[], condition: Condition, isOpposite: boolean): Condition {
  if (!isOpposite) return along(relations, condition)
  const toMany = relations.findLastIndex(isToMany) + 1
  return along(relations.slice(0, toMany), not(along(relations.slice(toMany), condition)))
}
