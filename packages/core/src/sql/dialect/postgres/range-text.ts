import { sql } from 'kysely'
import { momentInUtc } from '../../../model/values/moment-in-utc.ts'
import { readRange } from '../../../model/values/range.ts'
import { join, type Sql } from '../../text/sql-text.ts'
import { UNSHOWN } from '../dialect.ts'
import { typeOf } from './type-of.ts'
import { utcText } from './utc-text.ts'

const RANGES = join(['tstzrange', 'tsrange', 'daterange'].map((type) => sql`${sql.lit(type)}::regtype`))
const MARK = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`

/**
 * A range of moments or dates with bounds in ISO 8601, moments in UTC, whatever `DateStyle` and `TimeZone` are; a column of texts as it is. The
 * functions of the bounds are those that put a text in lower and upper case: the planner meets none that such a column does not have.
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
