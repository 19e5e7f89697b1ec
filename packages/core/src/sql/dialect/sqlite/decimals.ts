import { addDecimals, type ExactDecimal, exactDecimal, textOfDecimal } from '../../../model/values/decimals.ts'
import { DECIMALS_OF_AVERAGE } from '../value-sql.ts'

/** Digits before the point, digits after it, exponent. Text of a `decimal` field has no exponent, but a number of
 * SQLite may. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/

/** Makes every power of ten of a decimal a number of ten digits: a text has fewer than 10^9 characters. */
const POWER_OFFSET = 5_000_000_000

const ZERO = '1'
const ZERO_CODE = 48

/**
 * A text for a decimal number. Code point by code point, the texts of two numbers compare as the numbers do, however
 * many digits these have. Equal numbers (`1.50`, `01.5`) have the same text. Null for what is no number.
 *
 * It is the sign, the power of ten that the digits after `0.` are multiplied with, and these digits. A negative number
 * has the complement of its digits, and an end that is greater than any digit.
 */
export function decimalKey(value: unknown): string | null {
  const match = isNumberOrText(value) ? DECIMAL.exec(String(value)) : null
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const begin = countOfZeros(digits)
  if (begin === digits.length) return ZERO
  const power = whole.length - begin + Number(exponent)
  const magnitude = String(POWER_OFFSET + power) + withoutTrailingZeros(digits.slice(begin))
  return sign === '-' ? `0${complement(magnitude)}~` : `2${magnitude}`
}

function isNumberOrText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}

/** How many zeros the digits begin with. */
function countOfZeros(digits: string): number {
  let count = 0
  while (digits.charCodeAt(count) === ZERO_CODE) count += 1
  return count
}

/** A regular expression would take quadratic time for many zeros before another digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO_CODE) end -= 1
  return digits.slice(0, end)
}

function complement(digits: string): string {
  return digits.replace(/\d/g, (digit) => String(9 - Number(digit)))
}

/**
 * A decimal number divided by a whole number above 0, rounded half away from zero to {@link DECIMALS_OF_AVERAGE}
 * decimals, without the zeros at the end. Null if either is none.
 */
export function decimalQuotient(dividend: unknown, divisor: unknown): string | null {
  const decimal = exactDecimal(dividend)
  if (decimal === undefined || typeof divisor !== 'bigint' || divisor <= 0n) return null
  const { digits, places } = decimal
  const magnitude = (digits < 0n ? -digits : digits) * 10n ** BigInt(DECIMALS_OF_AVERAGE)
  const unit = divisor * 10n ** BigInt(places)
  const rounded = (2n * magnitude + unit) / (2n * unit)
  const text = textOfDecimal({ digits: digits < 0n ? -rounded : rounded, places: DECIMALS_OF_AVERAGE })
  return text.replace(/\.?0+$/, '')
}

/**
 * The exact sum of decimal numbers, as a decimal number with as many places as the one that has most: `0` if there are
 * none. Takes a JSON array of texts and numbers. What is no number does not count.
 */
export function decimalSum(json: unknown): string | null {
  if (typeof json !== 'string') return null
  let sum: ExactDecimal = { digits: 0n, places: 0 }
  for (const value of JSON.parse(json) as readonly unknown[]) {
    const one = exactDecimal(value)
    if (one !== undefined) sum = addDecimals(sum, one)
  }
  return textOfDecimal(sum)
}
