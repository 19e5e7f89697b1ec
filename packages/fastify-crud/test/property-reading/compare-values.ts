import type { Json } from '../property/json.ts'
import type { ValueType } from './value-types.ts'

/**
 * Compares two values of a field, neither of them null: less than 0 if `one` comes first, 0 if they are equal.
 *
 * @throws Error if one of them is no value of that type.
 */
export function compareValues(type: ValueType, one: Json, other: Json): number {
  switch (type) {
    case 'date-time':
      return compareNumbers(timeOf(one), timeOf(other))
    case 'decimal':
      return compareDecimals(textOf(one), textOf(other))
    case 'string':
    case 'enum':
    case 'date':
      return compareTexts(textOf(one), textOf(other))
    case 'integer':
    case 'number':
    case 'id':
      return compareNumbers(numberOf(one), numberOf(other))
    case 'boolean':
      return Number(booleanOf(one)) - Number(booleanOf(other))
    case 'json':
      throw new Error('a JSON value is not compared')
  }
}

/** By code point: UTF-16 would put U+10000 before U+E000. */
export function compareTexts(one: string, other: string): number {
  const left = [...one]
  const right = [...other]
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export function compareDecimals(one: string, other: string): number {
  const places = Math.max(placesOf(one), placesOf(other))
  const [left, right] = [scaled(one, places), scaled(other, places)]
  return left < right ? -1 : left > right ? 1 : 0
}

export function placesOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0
}

/** The decimal as a whole number of its last place. */
export function scaled(decimal: string, places: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal)
  if (match === null) throw new Error(`${decimal} is no decimal`)
  const [, sign, whole, part = ''] = match
  const digits = BigInt(`${whole}${part.padEnd(places, '0')}`)
  return sign === '-' ? -digits : digits
}

/** Milliseconds since 1970. */
function timeOf(value: Json): number {
  const time = Date.parse(textOf(value))
  if (Number.isNaN(time)) throw new Error(`${value} is no time`)
  return time
}

function compareNumbers(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export function textOf(value: Json): string {
  if (typeof value !== 'string') throw new Error(`${JSON.stringify(value)} is no text`)
  return value
}

function numberOf(value: Json): number {
  if (typeof value !== 'number') throw new Error(`${JSON.stringify(value)} is no number`)
  return value
}

function booleanOf(value: Json): boolean {
  if (typeof value !== 'boolean') throw new Error(`${JSON.stringify(value)} is neither true nor false`)
  return value
}
