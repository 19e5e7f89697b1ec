import { isObject } from '../is-object.ts'
import type { StorageKind } from '../values/field-problems.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { textFormat } from '../values/schema-facts.ts'

/**
 * How a column spells the values of a field, where it does otherwise than `createTables` would.
 *
 * Of a `date-time`, on PostgreSQL: `'utc'` is a `timestamp` whose times are UTC, `{ zone }` one whose times are those
 * of a time zone. On SQLite: `'space'` and `'T'` are texts as `2026-01-31 12:00:00` and `2026-01-31T12:00:00`, in UTC;
 * the others are numbers, in seconds or milliseconds since 1970, or Julian days.
 *
 * Of a boolean, on SQLite: `'tf'` is `t` or `f`, as old Rails applications have it.
 */
export type Stored = StoredName | { readonly zone: string }

export type StoredName = (typeof NAMES)[number]

const OF_MOMENTS = ['utc', 'space', 'T', 'seconds', 'milliseconds', 'julian'] as const
const NAMES = [...OF_MOMENTS, 'tf'] as const

/** What is wrong with the option `stored` of a field; undefined if nothing is. */
export function problemOfStored(schema: JsonSchema, storage: StorageKind): string | undefined {
  const { stored } = schema
  if (stored === undefined) return undefined
  if (storage === 'boolean') return stored === 'tf' ? undefined : "'stored' of a boolean can only be 'tf'"
  if (storage !== 'string' || textFormat(schema) !== 'date-time')
    return "only a date-time or a boolean can have 'stored'"
  if (isObject(stored) && Object.keys(stored).join() === 'zone') return problemOfZone(stored.zone)
  if (OF_MOMENTS.some((name) => name === stored)) return undefined
  return `'stored' must be ${OF_MOMENTS.map((name) => `'${name}'`).join(', ')} or { zone: 'Europe/Vienna' }`
}

function problemOfZone(zone: unknown): string | undefined {
  try {
    if (typeof zone !== 'string' || !/^[A-Za-z][\w+/-]*$/.test(zone)) throw new RangeError()
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return undefined
  } catch {
    return "'stored.zone' must be the name of a time zone, such as 'Europe/Vienna'"
  }
}
