import type { Relation, Resource } from '../../model/model.ts'
import { idKindBeside, leadsToOne, type Operand, readPath } from '../operand.ts'
import { FUNCTION } from '../parameters/read-sort.ts'
import { type Scope, whyIncomparable } from '../scope.ts'

/** A part of a date or moment: `2026`, `2026-Q4`, `2026-11`, `2026-W48` (of ISO 8601) or `2026-11-28`. */
export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day'

/** A value that all rows of a group have in common. */
export interface GroupKey {
  /** As the request names it. */
  readonly name: string
  /** The relations of its path: each leads to one record at most. */
  readonly relations: readonly Relation[]
  readonly operand: Operand
  /** Undefined: the whole value. */
  readonly part: DatePart | undefined
}

const PARTS: readonly string[] = ['year', 'quarter', 'month', 'week', 'day'] satisfies DatePart[]

/** Reads `status`, `customer.name`, `month(createdAt)`. Returns a message if something is wrong. */
export function readGroupKey(resource: Resource, name: string, scope: Scope): GroupKey | string {
  const [, word, argument] = FUNCTION.exec(name) ?? []
  if (word !== undefined && !PARTS.includes(word))
    return `'${word}' is not a part; use ${PARTS.map((part) => `${part}(…)`).join(', ')}`
  const end = readPath(resource, argument ?? name, scope)
  if (typeof end === 'string') return end
  const { relations, operand } = end
  if (!leadsToOne(relations)) return 'leads to several records'
  if (operand === undefined) return 'names a record; name one of its fields'
  if (operand.type === undefined) return 'has no single value'
  if (idKindBeside(operand)?.parts !== undefined) return 'is an id of several parts; name its parts'
  if (word !== undefined && operand.type !== 'date' && operand.type !== 'date-time')
    return `${word}(…) needs a date or a moment`
  return whyIncomparable(operand.type, scope) ?? { name, relations, operand, part: word as DatePart | undefined }
}
