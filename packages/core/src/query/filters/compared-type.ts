import type { Operand } from '../../reading/operand.ts'
import type { QueryContext } from '../context.ts'
import type { LearnedType } from '../dialect/postgres/learned-types.ts'
import type { ValueType } from '../dialect/value-sql.ts'

/** The type as which an operand is compared: as the model says, but for some columns whose own type compares otherwise. */
export function comparedType({ learnedTypes }: QueryContext, operand: Operand): ValueType {
  if (operand.kind === 'member' && operand.member.kind === 'field') {
    const { member } = operand
    const learned = learnedTypes.typeOf(member)
    // In a zone, a time of the column is compared as the moment that it is.
    if (learned === 'timestamp' && typeof member.stored === 'object') return 'timestamptz'
    if (typeof learned === 'string' && COMPARED.includes(learned)) return learned as ValueType
  }
  return operand.type as ValueType
}

const COMPARED: readonly LearnedType[] = ['timestamp', 'timestamptz', 'inet', 'enum domain', 'range']
