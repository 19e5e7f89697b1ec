import type { Fault } from '../../errors.ts'
import type { OPERATOR_NAMES } from '../../model/check/names.ts'
import { isForeignKey } from '../../model/model.ts'
import { textFormat } from '../../model/values/schema-facts.ts'
import type { Comparator, Comparison } from '../condition.ts'
import { constantsOf, elementTypeOf, idKindBeside, type Operand } from '../operand.ts'
import { afterPrefix, mustBe, type ReadValue, readValue, WHOLE_FORMATS, type WholeFormat } from './read-value.ts'

/** The operators of a filter: the comparison that each makes, and whether it matches what the comparison does not. */
export const OPERATORS = {
  eq: { comparator: 'eq', isOpposite: false },
  ne: { comparator: 'eq', isOpposite: true },
  lt: { comparator: 'lt', isOpposite: false },
  lte: { comparator: 'lte', isOpposite: false },
  gt: { comparator: 'gt', isOpposite: false },
  gte: { comparator: 'gte', isOpposite: false },
  in: { comparator: 'in', isOpposite: false },
  nin: { comparator: 'in', isOpposite: true },
  contains: { comparator: 'contains', isOpposite: false },
  startsWith: { comparator: 'startsWith', isOpposite: false },
  endsWith: { comparator: 'endsWith', isOpposite: false },
  icontains: { comparator: 'icontains', isOpposite: false },
  istartsWith: { comparator: 'istartsWith', isOpposite: false },
  iendsWith: { comparator: 'iendsWith', isOpposite: false },
  has: { comparator: 'has', isOpposite: false },
  null: { comparator: 'present', isOpposite: true },
} as const satisfies Readonly<Record<Operator, { readonly comparator: Comparator; readonly isOpposite: boolean }>>

export type Operator = (typeof OPERATOR_NAMES)[number]

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name)
}

const EQUAL: readonly Operator[] = ['eq', 'ne', 'in', 'nin', 'null']
const ORDERED: readonly Operator[] = [...EQUAL, 'lt', 'lte', 'gt', 'gte']
/** Of texts: every text contains the empty one. */
export const PARTS_OF_TEXT = [
  ...['contains', 'startsWith', 'endsWith'],
  ...['icontains', 'istartsWith', 'iendsWith'],
] as readonly Operator[]
const TEXT: readonly Operator[] = [...ORDERED, ...PARTS_OF_TEXT]

/** The operators that an operand has. */
export function operatorsOf(operand: Operand): readonly Operator[] {
  switch (operand.type) {
    case undefined:
      return elementTypeOf(operand) === undefined ? ['null'] : ['has', 'null']
    case 'boolean':
      return EQUAL
    case 'string':
      return TEXT
    case 'id':
    case 'decimal':
    case 'date-time':
    case 'date':
    case 'duration':
    case 'date-time-range':
    case 'date-range':
    case 'integer':
    case 'number':
      return ORDERED
  }
}

/** The most values of `in` and `nin`. */
export const MOST_VALUES = 500

type ReadComparison = { readonly comparison: Comparison; readonly isOpposite: boolean } | { readonly problem: Fault }

/** Reads what a value is compared with, and how. */
export function readComparison(operand: Operand, name: Operator, given: unknown): ReadComparison {
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
  const isWhole = COMPARES_WHOLLY.includes(comparator)
  const constants = isWhole ? constantsOf(operand) : undefined
  const format = isWhole ? wholeFormatOf(operand) : undefined
  if (comparator === 'in') {
    if (!Array.isArray(given)) return { problem: mustBe('array', 'must be an array') }
    if (given.length > MOST_VALUES) return { problem: TOO_MANY_VALUES }
    const read = given.map((one) => oneOf(readValue(one, type, ids, format), constants))
    const index = read.findIndex((one) => 'problem' in one)
    const wrong = read[index]
    if (wrong !== undefined && 'problem' in wrong) {
      const { problem } = wrong
      return { problem: { ...problem, message: `the value [${index}] ${problem.message}` } }
    }
    return compare(read.map((one) => (one as { value: unknown }).value))
  }
  const read = oneOf(readValue(given, type, ids, format), constants)
  if ('problem' in read) return read
  if (PARTS_OF_TEXT.includes(name) && read.value === '') return compare(undefined, 'present')
  if (comparator !== 'startsWith') return compare(read.value)
  const end = afterPrefix(read.value as string)
  return end === undefined ? compare(read.value, 'gte') : compare([read.value, end])
}

function wholeFormatOf(operand: Operand): WholeFormat | undefined {
  if (operand.kind !== 'member' || isForeignKey(operand.member) || operand.type !== 'string') return undefined
  const format = textFormat(operand.member.schema)
  return WHOLE_FORMATS.find((one) => one === format)
}

/** A field with an enumeration never has another value: to compare it with one is a mistake. */
function oneOf(read: ReadValue, constants: readonly unknown[] | undefined): ReadValue {
  if (constants === undefined || 'problem' in read || constants.includes(read.value)) return read
  const named = constants.slice(0, MOST_NAMED).map((one) => JSON.stringify(one))
  const more = constants.length > MOST_NAMED ? ', …' : ''
  return {
    problem: {
      message: `must be one of ${named.join(', ')}${more}`,
      keyword: 'enum',
      params: { allowedValues: constants },
    },
  }
}

/** As many values as a message may name. */
const MOST_NAMED = 20

const NOT_NULL: Fault = {
  message: 'must not be null; to find records without a value, use {"null":true}',
  keyword: 'notNull',
}

const TOO_MANY_VALUES: Fault = {
  message: `must not have more than ${MOST_VALUES} values`,
  keyword: 'maxItems',
  params: { limit: MOST_VALUES },
}

/** The comparators that ask for a value of the field, and not for a part of a text. */
const COMPARES_WHOLLY: readonly Comparator[] = ['eq', 'in']
