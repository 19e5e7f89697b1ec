import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'
import { UNSHOWN } from '../dialect.ts'
import { typeOf } from './type-of.ts'

/**
 * The JSON of a decimal, whatever the type of its column: `money` prints as `lc_monetary` says, so it becomes a number first. By way of a
 * text, because the planner must not meet a cast that a column of another type does not have. A `numeric` may be infinite, or no number.
 */
export function jsonOfDecimal(value: Sql): Sql {
  const mark = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`
  const text = sql`(${value})::text`
  return sql`case when ${value} is null then 'null' when ${typeOf(value)} = 'money'::regtype then to_json(${text}::money::numeric::text)::text when ${text} in ('NaN', 'Infinity', '-Infinity') then ${mark} else to_json(${text})::text end`
}
