import { sql } from 'kysely'
import type { Stored } from '../../../model/descriptors/stored.ts'
import { momentInUtc } from '../../../model/values/long-number.ts'
import { readRange } from '../../../model/values/schema-facts.ts'
import { join, type Sql } from '../../text/sql-text.ts'
import { UNSHOWN } from '../dialect.ts'
import { baseValue, typeOf } from './type-of.ts'

/**
 * The JSON of a decimal, whatever the type of its column: `money` prints as `lc_monetary` says, so it becomes a number
 * first. By way of a text, because the planner must not meet a cast that a column of another type does not have. A
 * `numeric` may be infinite, or no number.
 */
export function jsonOfDecimal(value: Sql): Sql {
  const mark = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`
  const text = sql`(${value})::text`
  return sql`case when ${value} is null then 'null' when ${isMoney(value)} then to_json(${textOfMoney(text)})::text when ${text} in ('NaN', 'Infinity', '-Infinity') then ${mark} else to_json(${text})::text end`
}

/** A decimal as its column spells it, whatever the type of that. */
export function decimalText(value: Sql): Sql {
  const text = sql`(${value})::text`
  return sql`case when ${isMoney(value)} then ${textOfMoney(text)} else ${text} end`
}

function isMoney(value: Sql): Sql {
  return sql`${typeOf(value)} = 'money'::regtype`
}

function textOfMoney(text: Sql): Sql {
  return sql`${text}::money::numeric::text`
}

/**
 * An interval in ISO 8601, whatever the session's `IntervalStyle` is; a column of texts as it is. By way of a text,
 * because the planner must not meet a function that a column of another type does not have. Without an offset, it would
 * put what is named in place of each name. Infinity stays what it is.
 */
export function durationText(value: Sql): Sql {
  const parts = sql`concat('P', ${part('year', 'Y')}, ${part('month', 'M')}, ${part('day', 'D')}, 'T' || nullif(concat(${part('hour', 'H')}, ${part('minute', 'M')}, ${part('second', 'S')}), ''))`
  const printed = sql`(select case when isfinite(given.span) then coalesce(nullif(${parts}, 'P'), 'PT0S') else given.span::text end from (select (${value})::text::interval offset 0) as given(span))`
  return sql`case when ${typeOf(value)} = 'interval'::regtype then ${printed} else (${value})::text end`
}

/** One of the parts that an interval has, each with its own sign; null if it is 0. */
function part(name: string, letter: string): Sql {
  const [from, behind] = [sql.raw(name), sql.lit(letter)]
  return sql`trim_scale(nullif(extract(${from} from given.span)::numeric, 0)) || ${behind}`
}

/** The JSON of a duration, whatever the type of its column. The column may hold infinity. */
export function jsonOfDuration(value: Sql): Sql {
  const mark = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`
  return sql`coalesce((select case when given.text ~ 'infinity$' then ${mark} else to_json(given.text)::text end from (select ${durationText(value)} offset 0) as given(text)), 'null')`
}

const RANGES = join(['tstzrange', 'tsrange', 'daterange'].map((type) => sql`${sql.lit(type)}::regtype`))
const MARK = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`

/**
 * A range of moments or dates with bounds in ISO 8601, moments in UTC, whatever `DateStyle` and `TimeZone` are; a
 * column of texts as it is. The functions of the bounds are those that put a text in lower and upper case: the planner
 * meets none that such a column does not have.
 */
export function rangeText(value: Sql): Sql {
  const given = sql`select (${value})::text, to_json(lower(${value})) #>> '{}', to_json(upper(${value})) #>> '{}' offset 0`
  const [text, from, to] = [sql`given.text`, sql`given.low`, sql`given.high`]
  const printed = sql`case when ${text} = 'empty' then ${text} else left(${text}, 1) || ${bound(from)} || ',' || ${bound(to)} || right(${text}, 1) end`
  return sql`case when ${typeOf(value)} in (${RANGES}) then (select ${printed} from (${given}) as given(text, low, high)) else (${value})::text end`
}

/** A bound may be infinite, or in a year that no `date-time` has: then it is {@link UNSHOWN}. */
function bound(iso: Sql): Sql {
  return sql`case when ${iso} is null then '' when ${iso} ~ 'infinity$' then ${iso} when ${iso} !~ '^[0-9]{4}-[^B]*$' then ${MARK} when ${iso} !~ 'T' then ${iso} when ${iso} ~ 'T.*[+-]' then '"' || ${utcText(iso)} || '"' else '"' || ${iso} || 'Z"' end`
}

/** The JSON of such a range, whatever the type of its column. */
export function jsonOfRange(value: Sql): Sql {
  return sql`coalesce((select case when strpos(given.text, ${MARK}) > 0 then ${MARK} else to_json(given.text)::text end from (select ${rangeText(value)} offset 0) as given(text)), 'null')`
}

/** A range of moments as {@link rangeText} has it. The bounds of a `tsrange` have no offset, so it would be lost. */
export function rangeInUtc(text: string): string {
  const range = readRange(text)
  return range === undefined ? text : `${range.opening}${inUtc(range.from)},${inUtc(range.to)}${range.closing}`
}

function inUtc(bound: string): string {
  return MOMENT.test(bound) ? `"${momentInUtc(bound)}"` : bound
}

/** Not a date, and not infinity. */
const MOMENT = /\d:/

/** What PostgreSQL turns into the time of the session's zone where it stands in a `timestamp`. */
const NOW = /\b(?:now\(\)|current_timestamp|localtimestamp|(?:transaction|statement|clock)_timestamp\(\)|'now')/i
const AT_ZONE = /at time zone|timezone\(/i

/** Whether the default of a `timestamp` is the time of the session's zone. */
export function isLocalDefault(expression: string): boolean {
  return NOW.test(expression) && !AT_ZONE.test(expression)
}

/**
 * Such a default as the column counts its times, in UTC or in a zone. What it gives for the session is the same moment
 * as a `timestamptz`. `expression`: as the catalog has it.
 */
export function defaultInZone(expression: string, stored: Stored | undefined): Sql {
  const zone = typeof stored === 'object' ? stored.zone : 'UTC'
  return sql`((${sql.raw(expression)})::timestamptz at time zone ${sql.lit(zone)})`
}

/**
 * A `timestamptz` as answers show it, whatever the session's `TimeZone` and `DateStyle` are. By way of JSON, because
 * the planner must not meet a function that a column of another type does not have.
 */
export function utcText(moment: Sql): Sql {
  return sql`(to_json((${isoText(moment)})::timestamptz at time zone 'UTC') #>> '{}') || 'Z'`
}

/** A `timetz` as RFC 3339 spells its offset: PostgreSQL prints `+00` and `+02` of whole hours. */
export function timeText(time: Sql): Sql {
  const text = sql`(${time})::text`
  return sql`case when right(${text}, 3) = '+00' then left(${text}, -3) || 'Z' when ${text} ~ '[+-][0-9]{2}$' then ${text} || ':00' else ${text} end`
}

/** Whether a column is a `timetz`. */
export function isTimeWithZone(column: Sql): Sql {
  return sql`${typeOf(column)} = 'timetz'::regtype`
}

/** Whether a column is a `timestamptz`. */
export function isMoment(column: Sql): Sql {
  return sql`${typeOf(column)} = 'timestamptz'::regtype`
}

/**
 * The JSON of a `date-time`, whatever the type of its column. The times of a `timestamp` count as UTC. The column may
 * hold what no `date-time` can be: infinity, years before the first and behind the 9999th.
 */
export function jsonOfMoment(value: Sql): Sql {
  const isZoneless = sql`${typeOf(value)} = 'timestamp'::regtype`
  const isUnshown = sql`${isoText(value)} !~ '^[0-9]{4}-[^B]*$'`
  return sql`case when ${value} is null then 'null' when not (${isMoment(value)} or ${isZoneless}) then to_json(${value})::text when ${isUnshown} then ${UNSHOWN_MARK} when ${isZoneless} then '"' || (${isoText(value)}) || 'Z"' else '"' || ${utcText(value)} || '"' end`
}

/**
 * The same where the type is known: that takes a third of the time. If the column has got another type since, the
 * statement fails, as a range contains values of its own type alone, and then the type is learned again.
 */
export function jsonOfKnownMoment(value: Sql, type: MomentType): Sql {
  const isShown = sql`${SHOWN_MOMENTS[type]} @> ${baseValue(value)}`
  const inUtc = type === 'timestamptz' ? sql`${value} at time zone 'UTC'` : value
  return sql`case when ${isShown} then left(to_json(${inUtc})::text, -1) || 'Z"' when ${value} is null then 'null' else ${UNSHOWN_MARK} end`
}

/** The types of moments. */
export type MomentType = 'timestamptz' | 'timestamp'

const SHOWN_MOMENTS: Readonly<Record<MomentType, Sql>> = {
  timestamptz: sql`'[0001-01-01 00:00:00+00,10000-01-01 00:00:00+00)'::tstzrange`,
  timestamp: sql`'[0001-01-01 00:00:00,10000-01-01 00:00:00)'::tsrange`,
}

const UNSHOWN_MARK = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`

function isoText(value: Sql): Sql {
  return sql`to_json(${value}) #>> '{}'`
}
