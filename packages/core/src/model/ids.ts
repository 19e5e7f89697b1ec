import { shortened } from '../errors.ts'
import type { JsonSchema } from './descriptors/json-schema.ts'

/** Names a record among those of its resource. What it looks like is known to the resource's {@link IdKind} alone. */
export type Id = number

/** What the ids of a resource are: how they are read, checked and ordered. */
export interface IdKind {
  readonly name: 'integer'
  /** What an id is, in words. */
  readonly inWords: string
  /** The id that a JSON value is, in the one form in which ids are compared; undefined if no record can have it. */
  fromJson(value: unknown): Id | undefined
  /** The id that a filter compares with, be it one that no record can have; undefined if the value is none. */
  toCompare(value: unknown): Id | undefined
  /** The message about a value in a body that is not an id. */
  readonly problem: string
  /**
   * The id that a path spells; undefined if the text is not one. An id that no record can have names nothing, and is good for a
   * message only: {@link fromJson} tells.
   */
  fromPath(text: string): Id | undefined
  /** The message about a path parameter that is not an id. */
  readonly pathProblem: string
  /** Whether a client may choose the id for a new record. */
  isChoosable(id: Id): boolean
  /** The message about an id that a client may not choose. */
  readonly choiceProblem: string
  /** The order in which the database sorts ids: negative if the first comes before the second. */
  compare(first: Id, second: Id): number
  /** One of many ids that no record has, for a moment: until the write that names it is done. */
  unused(number: number): Id
  /** The JSON Schema of an id. */
  readonly schema: JsonSchema & { readonly type: string }
  /** An id to show in the examples of the documentation. */
  readonly example: Id
}

const DIGITS = /^(?:0|[1-9][0-9]*)$/

/** Leaves room for the ids that the database assigns after it. */
const HIGHEST_CHOICE = 2_000_000_000

const IN_WORDS = 'a positive integer'

/** Integers that the database assigns. */
export const integerId: IdKind = Object.freeze({
  name: 'integer',
  inWords: IN_WORDS,
  fromJson: (value) => (isPositiveInteger(value) ? value : undefined),
  toCompare: (value) => (Number.isSafeInteger(value) ? (value as Id) : undefined),
  problem: `must be an id: ${IN_WORDS}`,
  fromPath: (text) => (DIGITS.test(text) ? numberOrText(text) : undefined),
  pathProblem: 'must be an id: digits without sign or leading zero',
  isChoosable: (id) => isPositiveInteger(id) && id <= HIGHEST_CHOICE,
  choiceProblem: `an id that is chosen is an integer from 1 to ${HIGHEST_CHOICE}`,
  compare: (first, second) => first - second,
  unused: (number) => -1 - number,
  schema: Object.freeze({ type: 'integer', minimum: 1 }),
  example: 1,
} satisfies IdKind)

/** As a number, a text of too many digits would be another one. */
function numberOrText(digits: string): Id {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : (shortened(digits) as unknown as Id)
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
