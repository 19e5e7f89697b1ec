import { shortened } from '../../errors.ts'
import type { Id, IdKind } from './id-kind.ts'

const DIGITS = /^(?:0|-?[1-9][0-9]*)$/

/** No 64-bit integer has more characters. */
const MOST_CHARACTERS = 20

/** Leaves room for the ids that the database assigns after it. */
const HIGHEST_CHOICE = 9_000_000_000_000_000_000n

const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** 64-bit integers, as strings of digits, so that no client rounds them. */
export function bigintId(assignedBy: 'database' | 'client'): IdKind {
  const highestChoice = assignedBy === 'client' ? HIGHEST : HIGHEST_CHOICE
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
    fromPath: (text) => (DIGITS.test(text) ? (toDigits(text) ?? shortened(text)) : undefined),
    maxLength: MOST_CHARACTERS,
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
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS || !DIGITS.test(value)) return undefined
  const integer = BigInt(value)
  return integer >= LOWEST && integer <= HIGHEST ? value : undefined
}
