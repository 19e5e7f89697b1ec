import type { Problem } from '../errors.ts'

/** How much one body may hold. */
export interface BodyLimits {
  /** Array elements in the whole body. */
  readonly maxItems: number
  /** Objects and arrays inside each other. */
  readonly maxDepth: number
}

export const defaultBodyLimits: BodyLimits = { maxItems: 10_000, maxDepth: 64 }

/** What is too much about a body, or nothing. Never recurses, whatever comes in. */
export function checkLimits(body: unknown, limits: BodyLimits): readonly Problem[] {
  let items = 0
  let level: unknown[] = [body]
  for (let depth = 1; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (depth > limits.maxDepth) {
        return [{ pointer: '', message: `is nested more than ${limits.maxDepth} levels deep` }]
      }
      if (Array.isArray(value)) items += value.length
      if (items > limits.maxItems) {
        return [{ pointer: '', message: `has more than ${limits.maxItems} array elements` }]
      }
      for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) next.push(inner)
    }
    level = next
  }
  return []
}
