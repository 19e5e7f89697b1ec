import { decimalText, exactDecimal } from './exact-decimal.ts'

/**
 * The exact sum of decimal numbers, as a decimal number with as many places as the one that has most: `0` if there are none. Takes a JSON
 * array of texts and numbers. What is no number does not count.
 */
export function decimalSum(json: unknown): string | null {
  if (typeof json !== 'string') return null
  let digits = 0n
  let places = 0
  for (const value of JSON.parse(json) as readonly unknown[]) {
    const one = exactDecimal(value)
    if (one === undefined) continue
    if (one.places > places) {
      digits *= 10n ** BigInt(one.places - places)
      places = one.places
    }
    digits += one.digits * 10n ** BigInt(places - one.places)
  }
  return decimalText({ digits, places })
}
