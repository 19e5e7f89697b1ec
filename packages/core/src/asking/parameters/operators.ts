import type { OPERATOR_NAMES } from '../../model/check/grammar-words.ts'
import type { Comparator } from '../condition.ts'
import { elementTypeOf, type Operand } from '../operand.ts'

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
