import { described } from '../model/foreign-schema.ts'

/**
 * A value of the caller; null if it has none. Throws a TypeError for a value that no column can be compared with: a driver might take
 * an array for several parameters.
 */
export function callersValue(caller: unknown, name: string): string | number | boolean | bigint | null {
  const values = (caller ?? {}) as Readonly<Record<string, unknown>>
  // Not what every object has, such as `constructor`.
  const value = Object.hasOwn(values, name) || !(name in Object.prototype) ? (values[name] ?? null) : null
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return value
    default:
      if (value === null) return null
  }
  throw new TypeError(
    `my('${name}'): must be a string, a number, a boolean or null in the caller, not ${described(value)}`,
  )
}
