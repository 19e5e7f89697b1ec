import { shownMoment } from '../../../../test/support/shown-moment.ts'
import type { DatabaseName } from '../../../../test/support/tables.ts'
import type { Json } from './json.ts'

/** No other values of random records look like these. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/
const NEGATIVE_ZERO = /^-(?=0(?:[.]0+)?$)/

/** Values of a request as answers show them again: PostgreSQL keeps moments and decimals, and not how they were spelled. */
export function spelledOn(database: DatabaseName, value: Json): Json {
  if (database === 'sqlite') return value
  if (typeof value === 'string') {
    return MOMENT.test(value) ? shownMoment(database, value) : value.replace(NEGATIVE_ZERO, '')
  }
  if (Array.isArray(value)) return value.map((one) => spelledOn(database, one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spelledOn(database, one)]))
}
