import type { GroupValue, Operand } from '../../asking/operand.ts'
import type { QueryContext } from '../context.ts'
import type { LearnedType } from '../dialect/postgres/learned-types.ts'
import type { ValueType } from '../dialect/value-sql.ts'
import { formOf } from '../text/field-column.ts'

/** The type as which an operand is compared: as the model says, but for some columns whose own type compares
 * otherwise. */
export function comparedType(context: QueryContext, operand: Operand): ValueType {
  const { learnedTypes } = context
  if (operand.kind === 'aggregate') return typeOfAggregate(context, operand.aggregate)
  if (operand.kind === 'member' && operand.member.kind === 'field') {
    const { member } = operand
    const learned = learnedTypes.typeOf(member)
    // In a zone, a time of the column is compared as the moment that it is.
    if (learned === 'timestamp' && typeof member.stored === 'object') return 'timestamptz'
    if (typeof learned === 'string' && COMPARED.includes(learned)) return learned as ValueType
  }
  return operand.type as ValueType
}

const COMPARED: readonly LearnedType[] = ['timestamp', 'timestamptz', 'timetz', 'inet', 'enum domain', 'range']

/** The type of a value as answers show it: what a column spells in its own way is a moment there, and no time. */
export function shownType(context: QueryContext, operand: Operand): ValueType {
  const type = comparedType(context, operand)
  const hasForm =
    operand.kind === 'member' && operand.member.kind === 'field' && formOf(context, operand.member) !== undefined
  return hasForm && type === 'timestamp' ? 'timestamptz' : type
}

/** The type of an aggregate. */
export function typeOfAggregate(context: QueryContext, { word, operand, type }: GroupValue): ValueType {
  const isEnd = word === 'min' || word === 'max'
  return isEnd && operand !== undefined ? typeOfEnd(context, operand) : (type as ValueType)
}

/** The type of the smallest or the first of some values: what is ordered as a text is one then. */
export function typeOfEnd(context: QueryContext, operand: Operand): ValueType {
  const type = shownType(context, operand)
  return ORDERED_AS_TEXTS.includes(type) ? 'string' : type
}

const ORDERED_AS_TEXTS: readonly ValueType[] = [
  ...(['inet', 'timetz', 'enum domain', 'range', 'date-range', 'date-time-range'] as const),
]
