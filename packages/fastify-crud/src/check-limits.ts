import { DEFAULT_LIMITS } from '@fastify-crud/core/internal'
import type { Limits } from './options.ts'

const DEFAULTS: Limits = { ...DEFAULT_LIMITS, maxBody: 1024 * 1024, count: 'exact' }

/** The limits, with defaults for those that are not given. Throws a TypeError that says what is wrong with them. */
export function checkLimits(given: Partial<Limits> | undefined): Limits {
  const { maxPage = DEFAULTS.maxPage } = given ?? {}
  const defaultPage = Math.min(DEFAULTS.defaultPage, maxPage)
  const limits = { ...DEFAULTS, defaultPage, ...given }
  // The store checks how it is to count.
  const { count: _count, ...numbers } = limits
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw new TypeError(`limits.${name}: there is no such limit; there are ${Object.keys(DEFAULTS).join(', ')}`)
    }
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`limits.${name}: must be a positive integer`)
  }
  if (limits.defaultPage > limits.maxPage)
    throw new TypeError(`limits.defaultPage: must not be more than limits.maxPage, which is ${limits.maxPage}`)
  return limits
}
