import { DECIMALS_OF_AVERAGE } from '../value-sql.ts'
import { decimalText, exactDecimal } from './exact-decimal.ts'

/**
 * A decimal number divided by a whole number above 0, rounded half away from zero to {@link DECIMALS_OF_AVERAGE} decimals, without the zeros
 * at the end. Null if either is none.
 */
export function decimalQuotient(dividend: unknown, divisor: unknown): string | null {
  const decimal = exactDecimal(dividend)
  if (decimal === undefined || typeof divisor !== 'bigint' || divisor <= 0n) return null
  const { digits, places } = decimal
  const magnitude = (digits < 0n ? -digits : digits) * 10n ** BigInt(DECIMALS_OF_AVERAGE)
  const unit = divisor * 10n ** BigInt(places)
  const rounded = (2n * magnitude + unit) / (2n * unit)
  const text = decimalText({ digits: digits < 0n ? -rounded : rounded, places: DECIMALS_OF_AVERAGE })
  return text.replace(/\.?0+$/, '')
}
