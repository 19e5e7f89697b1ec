import { sql } from 'kysely'
import { momentInUtc } from '../../../model/values/long-number.ts'
import type { Sql } from '../../text/sql-text.ts'
import type { ColumnForm, ColumnForms, WrittenForm } from '../value-sql.ts'
import { rangeInUtc } from './postgres-texts.ts'

const TIMESTAMP = {
  encode: (value: unknown): unknown => momentInUtc(String(value)),
  shown: (value: unknown): unknown => momentInUtc(String(value)),
  // Of a parameter of the type, some drivers make a `Date`, which rounds.
  ofParameter: (parameter: Sql): Sql => sql`${parameter}::text::timestamp`,
  type: 'timestamp',
  fits: ['timestamp'],
} as const

/** A `timestamp` whose times are those of a zone. In autumn, an hour is there twice: it is read as standard time. */
function ofZone(zone: string): ColumnForm {
  const atZone = sql.raw(`at time zone '${zone}'`)
  const read = (column: Sql): Sql => sql`(${column} ${atZone})`
  const write = (value: Sql): Sql => sql`((${value} at time zone 'UTC') ${atZone})`
  return {
    ...TIMESTAMP,
    read,
    compared: read,
    ofParameter: (parameter) => write(TIMESTAMP.ofParameter(parameter)),
    inRow: write,
  }
}

/** A `timestamp` in UTC. PostgreSQL reads a text for one without regard to its offset, and in UTC there is none. It is
 * compared as it is. */
export const utcForm: ColumnForm = {
  ...TIMESTAMP,
  read: (column) => sql`(${column} at time zone 'UTC')`,
  compared: (column) => column,
}

/** A `timestamptz`. */
export const momentForm: WrittenForm = {
  encode: (value) => value,
  ofParameter: (parameter) => sql`${parameter}::text::timestamptz`,
}

/**
 * `money`, of a decimal. Of all its texts, only whole numbers mean the same in each `lc_monetary`. So it is written by
 * way of its hundredfold.
 */
export const moneyForm: WrittenForm = {
  encode(value) {
    const [whole, fraction = ''] = String(value).split('.')
    return `${whole}${fraction.slice(0, 2).padEnd(2, '0')}`
  },
  shown(value) {
    const [whole, fraction = ''] = String(value).split('.')
    return `${whole}.${fraction.slice(0, 2).padEnd(2, '0')}`
  },
  ofParameter: (parameter) => sql`(${parameter}::text::numeric / 100)::money`,
  inRow: (value) => sql`(${value} / 100)`,
}

/** A range of moments, or of dates, which have no offset. */
export const rangeForm: WrittenForm = {
  encode: (value) => rangeInUtc(String(value)),
  shown: (value) => rangeInUtc(String(value)),
}

/** JSON of a field that may be null, in a column that may not: it takes the null of JSON. */
export const notNullForm: WrittenForm = {
  encode: (value) => value,
  ofParameter: (parameter) => sql`coalesce(${parameter}::text::json, 'null')`,
  inRow: (value) => sql`coalesce(${value}, 'null')`,
}

/** An array, of a JSON array. Rows that travel as JSON become arrays by themselves. `type`: `text[]`, say. */
export function arrayForm(type: string): WrittenForm {
  const elements = sql`array(select json_array_elements_text(given.list))::${sql.raw(type)}`
  return {
    encode: (value) => value,
    ofParameter: (parameter) =>
      sql`(select ${elements} from (select ${parameter}::text::json) as given(list) where given.list is not null)`,
  }
}

export const postgresForms: ColumnForms = {
  named: (name) => (name === 'utc' ? utcForm : undefined),
  ofZone,
}
