import type { TypedCallerValue } from './callers-type.ts'

/** A value that a column can be compared with. */
export type Comparable = string | number | boolean

/** A value of the caller: null if it has none, undefined if it has one of another type, which nothing is compared
 * with. */
export function callersValue(caller: unknown, { name, type }: TypedCallerValue): Comparable | null | undefined {
  const given = valueIn(caller, name)
  if (given === null) return null
  // Drivers return the ids of large tables so. Beyond the safe integers it stays a bigint, which is of no type.
  const isSmall = typeof given === 'bigint' && Number.isSafeInteger(Number(given))
  const value = isSmall ? Number(given) : given
  return type.fits(value) ? (value as Comparable) : undefined
}

/** What the caller has under a name, whatever it is; null if it has nothing. */
export function valueIn(caller: unknown, name: string): unknown {
  const values = (caller ?? {}) as Readonly<Record<string, unknown>>
  // Not what every object has, such as `constructor`.
  return Object.hasOwn(values, name) || !(name in Object.prototype) ? (values[name] ?? null) : null
}
