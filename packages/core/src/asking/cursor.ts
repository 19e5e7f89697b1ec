import { hash } from 'node:crypto'
import type { ParameterProblem } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import { nameOfPath } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { type Condition, textOf } from './condition.ts'
import { idKindBeside } from './operand.ts'
import { queryProblem } from './parameters/query-problem.ts'
import { readValue } from './parameters/read-value.ts'
import type { ScalarType } from './scalar-type.ts'
import { type SortKey, sortShape } from './sort-key.ts'

/** Where a page begins: behind the record that has these sort values and this id. The record itself may be gone. */
export interface Cursor {
  /** One for each sort key. */
  readonly values: readonly CursorValue[]
  readonly id: Id
}

/** A sort value: a text as the database printed it, an id, or null. */
export type CursorValue = string | Id | null | typeof NOT_IN_CURSOR

/**
 * Stands for a text that is longer than {@link LONGEST_TEXT}, and for a value that is none of the field's type: it is
 * read from the record with the cursor's id.
 */
export const NOT_IN_CURSOR = true

/** The most bytes of a text in a cursor. */
export const LONGEST_TEXT = 500

/** What a cursor belongs to. With anything else, it is refused. */
export interface CursorScope {
  readonly at: Address
  readonly condition: Condition
  readonly sort: readonly SortKey[]
}

/** A cursor as a client gets it. `keys`: the sort values and the id, as a JSON array. */
export function writeCursor(scope: CursorScope, keys: string): string {
  return Buffer.from(`["${hashOf(scope)}",${keys.slice(1)}`).toString('base64url')
}

/** Reads what a client says is a cursor. Adds a problem if it is none, or belongs to another list. */
export function readCursor(scope: CursorScope, given: unknown, problems: ParameterProblem[]): Cursor | undefined {
  const values = readKeys(scope, given, problems)
  if (values === undefined) return undefined
  const id = scope.at.path.resource.id.fromJson(values.pop())
  const isWhole = values.length === scope.sort.length
  if (id === undefined || !isWhole || !scope.sort.every((key, index) => fits(key, values[index]))) {
    problems.push(cursorProblem(OF_NO_PAGE))
    return undefined
  }
  return { values: values as readonly CursorValue[], id }
}

/** The same for records without ids, of which two may be equal: their cursors only say how many records come before the
 * page. */
export function readOffset(scope: CursorScope, given: unknown, problems: ParameterProblem[]): number | undefined {
  const keys = readKeys(scope, given, problems)
  if (keys === undefined) return undefined
  const [offset, ...others] = keys
  if (Number.isSafeInteger(offset) && (offset as number) >= 0 && others.length === 0) return offset as number
  problems.push(cursorProblem(OF_NO_PAGE))
  return undefined
}

const OF_NO_PAGE = "after: is not a cursor of this list; send the 'next' of a page"

/** What {@link writeCursor} was given. */
function readKeys(scope: CursorScope, given: unknown, problems: ParameterProblem[]): unknown[] | undefined {
  const content = contentOf(given)
  if (content === undefined) {
    problems.push(cursorProblem("after: is not a cursor; send the 'next' of a page"))
    return undefined
  }
  const [itsHash, ...values] = content
  if (itsHash !== hashOf(scope)) {
    problems.push(
      cursorProblem("after: is a cursor of another list; the path, 'filter', 'search' and 'sort' must be the same"),
    )
    return undefined
  }
  return values
}

/** A cursor that a list cannot go on behind. */
export function cursorProblem(message: string): ParameterProblem {
  return queryProblem('after', message, 'cursor')
}

/** Cursors with equal shapes differ only in values. */
export function cursorShape(cursor: Cursor | undefined): string {
  if (cursor === undefined) return ''
  const kinds = cursor.values.map((value) => (value === null ? 'null' : value === NOT_IN_CURSOR ? 'row' : 'value'))
  return `after(${kinds.join()})`
}

function contentOf(given: unknown): readonly unknown[] | undefined {
  if (typeof given !== 'string' || !BASE64URL.test(given)) return undefined
  try {
    const content: unknown = JSON.parse(Buffer.from(given, 'base64url').toString())
    return Array.isArray(content) ? content : undefined
  } catch {
    return undefined
  }
}

const BASE64URL = /^[\w-]+$/

/** Base64 characters: 96 bits. A client that forges one gets nothing for it. */
const HASH_LENGTH = 16

function hashOf({ at, condition, sort }: CursorScope): string {
  const text = JSON.stringify([nameOfPath(at.path), at.owners, textOf(condition), sortShape(sort)])
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH)
}

/** Whether a value can be one that a database printed for the key. */
function fits({ by }: SortKey, value: unknown): boolean {
  if (value === null) return true
  if (by.kind !== 'value') return isPrinted(value, 'integer')
  const { operand, isLowered } = by
  const ids = idKindBeside(operand)
  if (ids !== undefined) return ids.fromJson(value) !== undefined
  return isPrinted(value, isLowered ? 'string' : (operand.type as Exclude<ScalarType, 'id'>))
}

/** Databases print numbers and dates each in their own way. What no value of the type looks like does not come to the
 * database. */
function isPrinted(value: unknown, type: Exclude<ScalarType, 'id'>): boolean {
  if (value === NOT_IN_CURSOR) return true
  switch (type) {
    case 'string':
    case 'date-time-range':
    case 'date-range':
      return 'value' in readValue(value, 'string')
    case 'decimal':
      return matches(value, /^[\w.+~-]{1,500}$/)
    case 'date-time':
      return isPrinted(value, 'number') || matches(value, /^\d{4,6}-[\d:.TZ -]{1,40}(?:AD|BC)$|^-?infinity$/)
    // A column of integers may hold other numbers.
    case 'integer':
    case 'number':
      return matches(value, /^-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Infinity|Inf)$|^NaN$/)
    case 'boolean':
      return matches(value, /^(?:true|false|-?\d{1,20})$/)
    case 'duration':
      return matches(value, /^[\w.-]{1,500}$/)
    case 'date':
      return matches(value, /^[\w .:+-]{1,60}$/)
  }
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
