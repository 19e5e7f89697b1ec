import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/**
 * A `timestamptz` as answers show it, whatever the session's `TimeZone` and `DateStyle` are. By way of JSON, because the planner must not
 * meet a function that a column of another type does not have.
 */
export function utcText(moment: Sql): Sql {
  const text = sql`to_json(${moment}) #>> '{}'`
  return sql`(to_json((${text})::timestamptz at time zone 'UTC') #>> '{}') || 'Z'`
}

/** Whether a column is a `timestamptz`. */
export function isMoment(column: Sql): Sql {
  return sql`pg_typeof(${column}) = 'timestamptz'::regtype`
}
