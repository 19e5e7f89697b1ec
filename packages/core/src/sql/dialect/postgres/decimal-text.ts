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
