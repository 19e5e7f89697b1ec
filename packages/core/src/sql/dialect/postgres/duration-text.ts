import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'
import { UNSHOWN } from '../dialect.ts'
import { typeOf } from './type-of.ts'

/**
 * An interval in ISO 8601, whatever the session's `IntervalStyle` is; a column of texts as it is. By way of a text, because the planner
 * must not meet a function that a column of another type does not have. Without an offset, it would put what is named in place of each name.
 * Infinity stays what it is.
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
