import type { Problem } from '../../errors.ts'
import { LongNumber } from '../../model/values/long-number.ts'

/** How much one body may hold. */
export interface BodyLimits {
  /** Array elements in the whole body. */
  readonly maxItems: number
  /** Objects and arrays inside each other. */
  readonly maxDepth: number
}

/** Says that there is a number somewhere in a body that JSON has, and that JavaScript would round: a bigint of the application, too. */
export const HOLDS_LONG_NUMBERS: unique symbol = Symbol('holds long numbers')

/** The problem of a body that is beyond the limits, or what else a look at all of it shows. Does not recurse, so a deep body cannot overflow the stack. */
export function checkSize(body: unknown, limits: BodyLimits): Problem | typeof HOLDS_LONG_NUMBERS | undefined {
  if (!holdsValues(body)) return isLong(body) ? HOLDS_LONG_NUMBERS : undefined
  let hasLong = false
  let items = 0
  let level: object[] = [body]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limits.maxDepth) {
      const message = `is nested more than ${limits.maxDepth} levels deep`
      return { pointer: '', message, keyword: 'maxDepth', params: { limit: limits.maxDepth } }
    }
    const next: object[] = []
    for (const value of level) {
      if (Array.isArray(value)) {
        items += value.length
        for (const inner of value) {
          if (holdsValues(inner)) next.push(inner)
          else if (isLong(inner)) hasLong = true
        }
      } else {
        for (const name in value) {
          const inner = (value as Readonly<Record<string, unknown>>)[name]
          if (holdsValues(inner)) next.push(inner)
          else if (isLong(inner)) hasLong = true
        }
      }
      if (items > limits.maxItems) {
        const message = `has more than ${limits.maxItems} array elements`
        return { pointer: '', message, keyword: 'maxItems', params: { limit: limits.maxItems } }
      }
    }
    level = next
  }
  return hasLong ? HOLDS_LONG_NUMBERS : undefined
}

/** An object or an array. */
function holdsValues(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof LongNumber)
}

function isLong(value: unknown): boolean {
  return typeof value === 'bigint' || value instanceof LongNumber
}
