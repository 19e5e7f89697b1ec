import type { Fault } from '../../errors.ts'
import { enumerated, type JsonSchema, onlyBranch } from './schema-facts.ts'

/** How many digits a decimal has before and behind the point, at most. */
export interface Digits {
  readonly before: number
  readonly behind: number
}

/** What is wrong with a decimal number that has more digits; undefined: nothing. Zeros at either end are none. */
export function digitsFault(decimal: string, digits: Digits): Fault | undefined {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const { before, behind } = digits
  if (whole.replace(/^0/, '').length <= before && !/[1-9]/.test(fraction.slice(behind))) return undefined
  const message = `must have at most ${before} digits before the point and ${behind} behind it`
  return { message, keyword: 'digits', params: { ...digits } }
}

/** `^-?\d{1,8}(\.\d{1,2})?$`, with any numbers of digits; also `(0|[1-9]\d{0,7})` for the whole part, and a fraction
 * that each value has. */
const PATTERN =
  /^\^(?:-\?)?(?:\\d\{1,(\d+)\}|0|\((?:\?:)?0\|\[1-9\]\\d\{0,(\d+)\}\))(?:\((?:\?:)?\\\.\\d\{(?:1,)?(\d+)\}\)\?|\\\.\\d\{(?:1,)?(\d+)\})?\$$/

/** What the pattern of a decimal says of its digits. Undefined where it says something else, and where zeros at the end
 * would make a value longer than the schema allows. */
export function decimalDigits(schema: JsonSchema): Digits | undefined {
  const { pattern, maxLength } = onlyBranch(schema) ?? schema
  const match = typeof pattern === 'string' ? PATTERN.exec(pattern) : null
  if (match === null || enumerated(schema) !== undefined) return undefined
  const [, most, others, optional, required] = match
  const before = most === undefined ? (others === undefined ? 0 : Number(others) + 1) : Number(most)
  const behind = Number(optional ?? required ?? 0)
  const longest = '-'.length + Math.max(before, 1) + '.'.length + behind
  return typeof maxLength === 'number' && maxLength < longest ? undefined : { before, behind }
}

/** Digits before the point, digits after it, exponent: a number of SQLite may have one. */
const EXACT_DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/** A decimal number: `digits` with so many of them behind the point. */
export interface ExactDecimal {
  readonly digits: bigint
  readonly places: number
}

/** Reads what a column of decimals holds. Undefined for what is no number. */
export function exactDecimal(value: unknown): ExactDecimal | undefined {
  const match = typeof value === 'string' || typeof value === 'number' ? EXACT_DECIMAL.exec(String(value)) : null
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const power = Number(exponent) - fraction.length
  const places = Math.max(0, -power)
  const digits = BigInt(whole + fraction) * 10n ** BigInt(power + places)
  return { digits: sign === '-' ? -digits : digits, places }
}

export function textOfDecimal({ digits, places }: ExactDecimal): string {
  if (places === 0) return String(digits)
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
  return `${digits < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Has as many places as the one that has more. */
export function addDecimals(one: ExactDecimal, other: ExactDecimal): ExactDecimal {
  const places = Math.max(one.places, other.places)
  const digitsOf = (decimal: ExactDecimal) => decimal.digits * 10n ** BigInt(places - decimal.places)
  return { digits: digitsOf(one) + digitsOf(other), places }
}
