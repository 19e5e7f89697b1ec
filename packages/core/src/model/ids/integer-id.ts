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

const BIGINT_DIGITS = /^(?:0|-?[1-9][0-9]*)$/

/** No 64-bit integer has more characters. */
const MOST_DIGITS = 20

/** Leaves room for the ids that the database assigns after it. */
const HIGHEST_CHOSEN = 9_000_000_000_000_000_000n

const [LOWEST, HIGHEST_BIGINT] = [-(2n ** 63n), 2n ** 63n - 1n]

/** 64-bit integers, as strings of digits, so that no client rounds them. */
export function bigintId(assignedBy: 'database' | 'client'): IdKind {
  const highestChoice = assignedBy === 'client' ? HIGHEST_BIGINT : HIGHEST_CHOSEN
  const schema = Object.freeze({ type: 'string', pattern: '^(?:0|-?[1-9][0-9]{0,18})$' })
  return Object.freeze({
    name: 'bigint',
    stored: 'bigint',
    assignedBy,
    assign: undefined,
    inWords: 'a string of digits',
    fromJson: toDigits,
    fromCaller: (value) =>
      typeof value === 'bigint' || Number.isSafeInteger(value)
        ? toDigits(String(BigInt(value as bigint | number)))
        : toDigits(value),
    problem: 'must be an id: a string of digits, such as "1"',
    fromPath: (text) => (BIGINT_DIGITS.test(text) ? (toDigits(text) ?? shortened(text)) : undefined),
    maxLength: MOST_DIGITS,
    pathProblem: 'must be an id: digits without a leading zero',
    isChoosable: (id) => toDigits(id) !== undefined && BigInt(id) >= 1n && BigInt(id) <= highestChoice,
    choiceProblem: `an id that is chosen is a string with an integer from 1 to ${highestChoice}`,
    compare: (first, second) => {
      const [one, other] = [BigInt(first), BigInt(second)]
      return one < other ? -1 : one > other ? 1 : 0
    },
    unused: (number) => String(LOWEST + BigInt(number)),
    schema,
    chosenSchema: schema,
    example: '114514191981011451',
  } satisfies IdKind)
}

function toDigits(value: unknown): Id | undefined {
  if (typeof value !== 'string' || value.length > MOST_DIGITS || !BIGINT_DIGITS.test(value)) return undefined
  const integer = BigInt(value)
  return integer >= LOWEST && integer <= HIGHEST_BIGINT ? value : undefined
}
