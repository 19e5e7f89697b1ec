import type { Fault } from '../../errors.ts'
import type { Comparator, Comparison } from '../condition.ts'
import { constantsOf, elementTypeOf, idKindBeside, type Operand } from '../operand.ts'
import { OPERATORS, type Operator, PARTS_OF_TEXT } from './operators.ts'
import { afterPrefix, mustBe, type ReadValue, readValue } from './read-value.ts'

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
  const constants = EQUAL.includes(comparator) ? constantsOf(operand) : undefined
  if (comparator === 'in') {
    if (!Array.isArray(given)) return { problem: mustBe('array', 'must be an array') }
    if (given.length > MOST_VALUES) return { problem: TOO_MANY_VALUES }
    const read = given.map((one) => oneOf(readValue(one, type, ids), constants))
    const index = read.findIndex((one) => 'problem' in one)
    const wrong = read[index]
    if (wrong !== undefined && 'problem' in wrong) {
      const { problem } = wrong
      return { problem: { ...problem, message: `the value [${index}] ${problem.message}` } }
    }
    return compare(read.map((one) => (one as { value: unknown }).value))
  }
  const read = oneOf(readValue(given, type, ids), constants)
  if ('problem' in read) return read
  if (PARTS_OF_TEXT.includes(name) && read.value === '') return compare(undefined, 'present')
  if (comparator !== 'startsWith') return compare(read.value)
  const end = afterPrefix(read.value as string)
  return end === undefined ? compare(read.value, 'gte') : compare([read.value, end])
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
const EQUAL: readonly Comparator[] = ['eq', 'in']
