/** Digits before the point, digits after it, exponent. Text of a `decimal` field has no exponent, but a number of SQLite may. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * The exact sum of decimal numbers, as a decimal number with as many places as the one that has most: `0` if there are none. Takes a JSON
 * array of texts and numbers. What is no number does not count.
 */
export function decimalSum(json: unknown): string | null {
  if (typeof json !== 'string') return null
  let sum = 0n
  let places = 0
  for (const value of JSON.parse(json) as readonly unknown[]) {
    const match = typeof value === 'string' || typeof value === 'number' ? DECIMAL.exec(String(value)) : null
    if (match === null) continue
    const [, sign, whole = '', fraction = '', exponent = '0'] = match
    const power = Number(exponent) - fraction.length
    const itsPlaces = Math.max(0, -power)
    const digits = BigInt(whole + fraction) * 10n ** BigInt(power + itsPlaces)
    if (itsPlaces > places) {
      sum *= 10n ** BigInt(itsPlaces - places)
      places = itsPlaces
    }
    const addend = digits * 10n ** BigInt(places - itsPlaces)
    sum += sign === '-' ? -addend : addend
  }
  return withPoint(sum, places)
}

function withPoint(sum: bigint, places: number): string {
  if (places === 0) return String(sum)
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}
