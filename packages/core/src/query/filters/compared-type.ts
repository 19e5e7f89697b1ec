import type { Operand } from '../../reading/operand.ts'
import type { QueryContext } from '../context.ts'
import type { ValueType } from '../dialect/value-sql.ts'

/** The type as which an operand is compared: moments in columns of their own as such, all else as the model says. */
export function comparedType({ learnedTypes }: QueryContext, operand: Operand): ValueType {
  const { type } = operand
  if (type === 'date-time' && operand.kind === 'member' && operand.member.kind === 'field') {
    const { member } = operand
    const isInZone = typeof member.stored === 'object'
    const learned = learnedTypes.typeOf(member)
    if ((learned === 'timestamp' || learned === 'timestamptz') && !isInZone) return learned
  }
  return type as ValueType
}
