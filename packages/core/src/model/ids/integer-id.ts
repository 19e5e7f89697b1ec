import { shortened } from '../../errors.ts'
import type { Id, IdKind } from './id-kind.ts'

const DIGITS = /^(?:0|-?[1-9][0-9]*)$/

/** Leaves room for the ids that the database assigns after it. */
const HIGHEST_CHOICE = 2_000_000_000

const HIGHEST = Number.MAX_SAFE_INTEGER

/** Integers of JSON, as far as JavaScript has them exactly. */
export function integerId(assignedBy: 'database' | 'client'): IdKind {
  const highestChoice = assignedBy === 'client' ? HIGHEST : HIGHEST_CHOICE
  return Object.freeze({
    name: 'integer',
    stored: 'integer',
    assignedBy,
    assign: undefined,
    inWords: 'an integer',
    fromJson: toInteger,
    fromCaller: toInteger,
    problem: 'must be an id: an integer',
    fromPath: (text) => (DIGITS.test(text) ? numberOrText(text) : undefined),
    maxLength: String(-HIGHEST).length,
    pathProblem: 'must be an id: digits without a leading zero',
    isChoosable: (id) => (id as number) >= 1 && (id as number) <= highestChoice && Number.isSafeInteger(id),
    choiceProblem: `an id that is chosen is an integer from 1 to ${highestChoice}`,
    compare: (first, second) => (first as number) - (second as number),
    unused: (number) => number - HIGHEST,
    schema: Object.freeze({ type: 'integer' }),
    chosenSchema: Object.freeze({ type: 'integer', minimum: 1, maximum: highestChoice }),
    example: 1,
  } satisfies IdKind)
}

function toInteger(value: unknown): number | undefined {
  // There is no negative zero in JSON.
  return Number.isSafeInteger(value) ? (value as number) + 0 : undefined
}

/** As a number, a text of too many digits would be another one. */
function numberOrText(digits: string): Id {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : shortened(digits)
}
