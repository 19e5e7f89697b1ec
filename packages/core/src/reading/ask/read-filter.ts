import { type Fault, type ParameterProblem, shortened } from '../../errors.ts'
import { didYouMean } from '../../model/check/suggest.ts'
import { idFormBehind } from '../../model/ids/short-id.ts'
import { isObject } from '../../model/is-object.ts'
import { isToMany, type Relation, type Resource } from '../../model/model.ts'
import { type Comparator, type Comparison, type Condition, EVERYTHING, not } from '../condition.ts'
import { elementTypeOf, idKindBeside, type Operand, readPath } from '../operand.ts'
import { type Scope, whyIncomparable } from '../scope.ts'
import { costOfComparison, costOfPath, type LocatedCost, whyTooCostly } from './filter-cost.ts'
import { isOperator, OPERATORS, type Operator, operatorsOf } from './operators.ts'
import { pathProblem, queryProblem, spelledIn } from './query-problem.ts'
import { afterPrefix, readValue, Spelling } from './read-value.ts'

/** The most values of `in` and `nin`. */
export const MOST_VALUES = 500

/**
 * Reads a filter in its JSON form. Adds a message for each thing that is wrong with it, which names its location. The condition is
 * complete only if there is none.
 */
export function readFilter(resource: Resource, filter: unknown, scope: Scope, problems: ParameterProblem[]): Condition {
  const reading: FilterReading = { scope, problems, counted: { conditions: 0 }, costs: [] }
  const condition = readLevel(resource, filter, 'filter', 1, reading)
  const { maxFilters, maxCost } = scope.limits
  if (reading.counted.conditions > maxFilters) {
    const message = `filter: has more than ${maxFilters} conditions`
    problems.push(queryProblem('filter', message, 'maxFilters', { limit: maxFilters }))
  }
  const tooCostly = whyTooCostly(reading.costs, maxCost)
  if (tooCostly !== undefined)
    problems.push(queryProblem('filter', `filter: ${tooCostly}`, 'maxCost', { limit: maxCost }))
  return condition
}

interface FilterReading {
  readonly scope: Scope
  readonly problems: ParameterProblem[]
  readonly counted: { conditions: number }
  /** What each comparison and each path to related records costs. */
  readonly costs: LocatedCost[]
}

/** Adds what is wrong with a value. */
function refuse({ problems }: FilterReading, location: string, value: unknown, fault: Fault): void {
  problems.push({ parameter: spelledIn(value) ?? 'filter', ...fault, message: `${location}: ${fault.message}` })
}

/** A value of the wrong type. */
function mustBe(type: string, message: string): Fault {
  return { message, keyword: 'type', params: { type } }
}

/** `location` in messages, such as `filter.and[0]`. */
function readLevel(
  resource: Resource,
  filter: unknown,
  location: string,
  level: number,
  reading: FilterReading,
): Condition {
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
    value === undefined ? [] : [readEntry(resource, name, value, `${location}.${shortened(name)}`, level, reading)],
  )
  return conditions.length === 0 ? EVERYTHING : { kind: 'all', conditions }
}

function readEntry(
  resource: Resource,
  name: string,
  value: unknown,
  location: string,
  level: number,
  reading: FilterReading,
): Condition {
  switch (name) {
    case 'and':
      return { kind: 'all', conditions: readSeveral(resource, value, location, level, reading) }
    case 'or': {
      const conditions = readSeveral(resource, value, location, level, reading)
      if (Array.isArray(value) && value.length === 0) {
        refuse(reading, location, value, { message: 'must not be empty', keyword: 'minItems', params: { limit: 1 } })
      }
      return { kind: 'any', conditions }
    }
    case 'not':
      return not(readLevel(resource, value, location, level + 1, reading))
    default:
      return readCondition(resource, name, value, location, level, reading)
  }
}

function readSeveral(
  resource: Resource,
  value: unknown,
  location: string,
  level: number,
  reading: FilterReading,
): readonly Condition[] {
  if (!Array.isArray(value)) {
    refuse(reading, location, value, mustBe('array', 'must be an array of filters'))
    return []
  }
  return value.map((one, index) => {
    const before = reading.counted.conditions
    const condition = readLevel(resource, one, `${location}[${index}]`, level + 1, reading)
    // A filter without a condition counts as one: otherwise there could be any number of them.
    if (reading.counted.conditions === before) reading.counted.conditions += 1
    return condition
  })
}

function readCondition(
  resource: Resource,
  path: string,
  value: unknown,
  location: string,
  level: number,
  reading: FilterReading,
): Condition {
  const end = readPath(resource, path, reading.scope)
  if (typeof end === 'string') {
    reading.problems.push(pathProblem(spelledIn(value) ?? 'filter', `${location}: ${end}`, path))
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
  location: string,
  level: number,
  reading: FilterReading,
): Condition {
  const last = relations.at(-1) as Relation
  if (!isToMany(last)) {
    const message = `${location}: names a record; name one of its fields, such as '${last.name}.id'`
    reading.problems.push(pathProblem(spelledIn(value) ?? 'filter', message, path))
    return EVERYTHING
  }
  const entries = isObject(value) ? Object.entries(value).filter(([, filter]) => filter !== undefined) : []
  if (entries.length === 0) {
    refuse(reading, location, value, mustBe('object', "must be an object with 'some', 'every' or 'none'"))
  }
  const before = relations.slice(0, -1)
  const conditions = entries.map(([word, filter]) => {
    reading.counted.conditions += 1
    const at = `${location}.${shortened(word)}`
    reading.costs.push({ location: at, cost: costOfPath(relations) })
    const inside = { ...reading, scope: { ...reading.scope, ids: idFormBehind(last) } }
    const condition = readLevel(last.target, filter, at, level + 1, inside)
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
  location: string,
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
    const at = given.length === 1 && name === 'eq' ? location : `${location}.${name}`
    if ('problem' in read) {
      refuse(reading, at, operatorValue, read.problem)
      return []
    }
    const cost = costOfPath(relations) + costOfComparison(operand, read.comparison.comparator)
    reading.costs.push({ location: at, cost })
    return [placed(relations, read.comparison, read.isOpposite)]
  })
}

type ReadComparison = { readonly comparison: Comparison; readonly isOpposite: boolean } | { readonly problem: Fault }

function readComparison(operand: Operand, name: Operator, given: unknown): ReadComparison {
  const { comparator, isOpposite } = OPERATORS[name]
  const compare = (value: unknown, by: Comparator = comparator, opposite: boolean = isOpposite) => ({
    comparison: { kind: 'compare', operand, comparator: by, value } as const,
    isOpposite: opposite,
  })
  if (name === 'null') {
    const read = readValue(given, 'boolean')
    return 'problem' in read ? read : compare(undefined, 'present', read.value === true)
  }
  const type = comparator === 'has' ? elementTypeOf(operand) : operand.type
  if (type === undefined) return { problem: { message: 'has no single value', keyword: 'comparable' } }
  if (given === null) return { problem: NOT_NULL }
  const ids = idKindBeside(operand)
  if (comparator === 'in') {
    if (!Array.isArray(given)) return { problem: mustBe('array', 'must be an array') }
    if (given.length > MOST_VALUES) return { problem: TOO_MANY_VALUES }
    const read = given.map((one) => readValue(one, type, ids))
    const index = read.findIndex((one) => 'problem' in one)
    const wrong = read[index]
    if (wrong !== undefined && 'problem' in wrong) {
      const { problem } = wrong
      return { problem: { ...problem, message: `the value [${index}] ${problem.message}` } }
    }
    return compare(read.map((one) => (one as { value: unknown }).value))
  }
  const read = readValue(given, type, ids)
  if ('problem' in read) return read
  // Every text contains the empty one.
  if (PARTS_OF_TEXT.includes(comparator) && read.value === '') return compare(undefined, 'present')
  if (comparator !== 'startsWith') return compare(read.value)
  const end = afterPrefix(read.value as string)
  return end === undefined ? compare(read.value, 'gte') : compare([read.value, end])
}

const NOT_NULL: Fault = {
  message: 'must not be null; to find records without a value, use {"null":true}',
  keyword: 'notNull',
}

const TOO_MANY_VALUES: Fault = {
  message: `must not have more than ${MOST_VALUES} values`,
  keyword: 'maxItems',
  params: { limit: MOST_VALUES },
}

const PARTS_OF_TEXT: readonly Comparator[] = ['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith']

/** The condition at the end of a path. Its opposite is about the single record, if any, behind the last relation to many. */
function placed(relations: readonly Relation[], condition: Condition, isOpposite: boolean): Condition {
  if (!isOpposite) return along(relations, condition)
  const toMany = relations.findLastIndex(isToMany) + 1
  return along(relations.slice(0, toMany), not(along(relations.slice(toMany), condition)))
}

/** A record that is found along a path matches. */
function along(relations: readonly Relation[], condition: Condition): Condition {
  return relations.reduceRight<Condition>(
    (inner, relation) => ({ kind: 'some', relation, condition: inner }),
    condition,
  )
}
