import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'
import { UNSHOWN } from '../dialect.ts'
import { typeOf } from './type-of.ts'

/**
 * A `timestamptz` as answers show it, whatever the session's `TimeZone` and `DateStyle` are. By way of JSON, because the planner must not
 * meet a function that a column of another type does not have.
 */
export function utcText(moment: Sql): Sql {
  return sql`(to_json((${isoText(moment)})::timestamptz at time zone 'UTC') #>> '{}') || 'Z'`
}

/** Whether a column is a `timestamptz`. */
export function isMoment(column: Sql): Sql {
  return sql`${typeOf(column)} = 'timestamptz'::regtype`
}

/**
 * The JSON of a `date-time`, whatever the type of its column. The times of a `timestamp` count as UTC. The column may hold what no
 * `date-time` can be: infinity, years before the first and behind the 9999th.
 */
export function jsonOfMoment(value: Sql): Sql {
  const isZoneless = sql`${typeOf(value)} = 'timestamp'::regtype`
  const isUnshown = sql`${isoText(value)} !~ '^[0-9]{4}-[^B]*$'`
  return sql`case when ${value} is null then 'null' when not (${isMoment(value)} or ${isZoneless}) then to_json(${value})::text when ${isUnshown} then ${MARK} when ${isZoneless} then '"' || (${isoText(value)}) || 'Z"' else '"' || ${utcText(value)} || '"' end`
}

const MARK = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`

function isoText(value: Sql): Sql {
  return sql`to_json(${value}) #>> '{}'`
}
