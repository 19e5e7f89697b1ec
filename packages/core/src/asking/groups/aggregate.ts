import type { Relation, Resource } from '../../model/model.ts'
import {
  type AggregateWord,
  type GroupValue,
  idKindBeside,
  isBytes,
  leadsToOne,
  type Operand,
  readPath,
} from '../operand.ts'
import { FUNCTION } from '../parameters/read-sort.ts'
import type { ScalarType } from '../scalar-type.ts'
import { type Scope, whyIncomparable } from '../scope.ts'

const WORDS: readonly string[] = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] satisfies AggregateWord[]

/** Reads `count()`, `sum(total)`, `max(customer.since)`. Returns a message if something is wrong. */
export function readAggregate(resource: Resource, name: string, scope: Scope): GroupValue | string {
  const [, word, path] = FUNCTION.exec(name) ?? []
  if (word === undefined || path === undefined || !WORDS.includes(word))
    return `is not a value; use ${WORDS.map((one) => `${one}(…)`).join(', ')}`
  if (word === 'count' && path === '') return { name, word, relations: [], operand: undefined, type: 'integer' }
  const end = readPath(resource, path, scope)
  if (typeof end === 'string') return end
  const { relations, operand } = end
  if (!leadsToOne(relations)) return 'leads to several records'
  if (operand === undefined) return 'names a record; name one of its fields'
  const type = typeOfAggregate(word as AggregateWord, operand)
  if (type === undefined) return `${word}(…) needs ${NEEDS[word as AggregateWord]}`
  // To count what is there compares nothing.
  const incomparable =
    word === 'count' ? undefined : (whyIncomparable(operand.type, scope) ?? whyIncomparable(type, scope))
  return incomparable ?? { name, word: word as AggregateWord, relations, operand, type }
}

const NEEDS: Readonly<Record<AggregateWord, string>> = {
  count: 'a value',
  countDistinct: 'a value that can be compared',
  sum: 'a number',
  avg: 'a number',
  min: 'a text, a number, a date or a moment',
  max: 'a text, a number, a date or a moment',
}

/** Undefined where there is no such value of the operand. */
function typeOfAggregate(word: AggregateWord, operand: Operand): ScalarType | undefined {
  const { type } = operand
  switch (word) {
    case 'count':
      return 'integer'
    case 'countDistinct':
      return type === undefined || isBytes(operand) ? undefined : 'integer'
    case 'sum':
    case 'avg':
      if (type === 'number') return 'number'
      return type === 'integer' || type === 'decimal' ? 'decimal' : undefined
    case 'min':
    case 'max':
      return type === undefined || type === 'id' || type === 'boolean' ? undefined : type
  }
}

/** The column of a query of groups that has the value with that index. */
export function valueColumn(index: number): string {
  return `value${index}`
}

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
