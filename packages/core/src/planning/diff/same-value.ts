import { LongNumber } from '../../model/values/long-number.ts'

/** Whether two JSON values are equal; the order of keys does not count, and a long number counts as the nearest one. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return b instanceof LongNumber && a === b.valueOf()
  const open: [unknown, unknown][] = [[a, b]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    if (left === right || (right instanceof LongNumber && left === right.valueOf())) continue
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const keys = Object.keys(left)
    if (keys.length !== Object.keys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      open.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]])
    }
  }
  return true
}
