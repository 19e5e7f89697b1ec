import type { Json } from '../property/json.ts'
import { placesOf, scaled, textOf } from './compare-values.ts'
import type { ValueType } from './value-types.ts'

/** The sum of values, none of them null: 0 if there are none. That of decimals has as many places as the one that has most. */
export function sumOfValues(type: ValueType, values: readonly Json[]): Json {
  if (type !== 'decimal') return values.reduce((sum: number, value) => sum + Number(value), 0)
  const texts = values.map(textOf)
  const places = Math.max(0, ...texts.map(placesOf))
  const sum = texts.reduce((total, text) => total + scaled(text, places), 0n)
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  return `${sum < 0n ? '-' : ''}${whole}${places > 0 ? `.${digits.slice(-places)}` : ''}`
}
