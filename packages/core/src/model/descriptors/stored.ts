import { isObject } from '../is-object.ts'
import type { StorageKind } from '../values/field-problems.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { textFormat } from '../values/schema-facts.ts'

/**
 * How a column spells the values of a field, where it does otherwise than `createTables` would.
 *
 * `'text'` is the text of the body, letter by letter: PostgreSQL has types of its own for moments, dates, times,
 * decimals and UUIDs, which keep the value and not its spelling.
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
const NAMES = [...OF_MOMENTS, 'tf', 'text'] as const

/** Whether a column spells values in a way that only `stored` says. */
export function hasForm(stored: Stored | undefined): stored is Exclude<Stored, 'text'> {
  return stored !== undefined && stored !== 'text'
}

/** What is wrong with the option `stored` of a field; undefined if nothing is. */
export function problemOfStored(schema: JsonSchema, storage: StorageKind): string | undefined {
  const { stored } = schema
  if (stored === undefined) return undefined
  if (storage === 'boolean') return stored === 'tf' ? undefined : "'stored' of a boolean can only be 'tf'"
  if (storage !== 'string' && storage !== 'date') return "only a text or a boolean can have 'stored'"
  if (stored === 'text') return undefined
  if (textFormat(schema) !== 'date-time') return "'stored' of a text that is no date-time can only be 'text'"
  if (isObject(stored) && Object.keys(stored).join() === 'zone') return problemOfZone(stored.zone)
  if (OF_MOMENTS.some((name) => name === stored)) return undefined
  return `'stored' must be ${[...OF_MOMENTS, 'text'].map((name) => `'${name}'`).join(', ')} or { zone: 'Europe/Vienna' }`
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
