import { sql } from 'kysely'
import type { StoredName } from '../../../model/descriptors/stored.ts'
import { millisecondsOf, momentInUtc } from '../../../model/values/long-number.ts'
import type { Sql } from '../../text/sql-text.ts'
import type { ColumnForm, ColumnForms } from '../value-sql.ts'

/** Texts in UTC that do not say so. What compares them does not need the zone. */
function texts(between: 'T' | ' '): ColumnForm {
  return {
    read(column) {
      // `datetime` is null for what is no moment, and takes the 30th of February for the first of March.
      const isMoment = sql`datetime(${column}) = replace(substr(${column}, 1, 19), 'T', ' ')`
      const rest = sql`substr(${column}, 20)`
      return sql`case when ${isMoment} and ${rest} not glob '*[^.0-9]*' then substr(${column}, 1, 10) || 'T' || substr(${column}, 12) || 'Z' end`
    },
    compared: (column) => column,
    encode: (value) => momentInUtc(String(value)).replace('T', between).replace('Z', ''),
    type: 'text',
    // A numeric column, such as a `datetime`, keeps texts that are no numbers.
    fits: ['text', 'none', 'numeric'],
  }
}

/** Numbers. `inSqlite`: the moment of one as SQLite writes it. */
function numbers(
  inSqlite: (column: Sql) => Sql,
  encode: (milliseconds: number) => number,
  type: ColumnForm['type'],
): ColumnForm {
  const read = (column: Sql): Sql =>
    sql`case when typeof(${column}) in ('integer', 'real') then ${inSqlite(column)} end`
  return {
    read,
    compared: read,
    encode: (value) => encode(millisecondsOf(String(value))),
    type,
    fits: ['integer', 'real', 'numeric', 'none'],
  }
}

/** What `strftime` is to write. A whole number of seconds has no fraction. */
const WITH_FRACTION = sql.raw("'%Y-%m-%dT%H:%M:%fZ'")
const WITHOUT_FRACTION = sql.raw("'%Y-%m-%dT%H:%M:%SZ'")

const MILLISECONDS_OF_DAY = 86_400_000
/** The Julian day on which 1970 begins. */
const JULIAN_1970 = 2_440_587.5

const isTrueOrFalse = (column: Sql): Sql =>
  sql`case when ${column} in ('t', 'true') then 1 when ${column} in ('f', 'false') then 0 end`

const FORMS: Readonly<Partial<Record<StoredName, ColumnForm>>> = {
  space: texts(' '),
  T: texts('T'),
  seconds: numbers(
    (column) =>
      sql`strftime(iif(typeof(${column}) = 'integer', ${WITHOUT_FRACTION}, ${WITH_FRACTION}), ${column}, 'unixepoch')`,
    (milliseconds) => milliseconds / 1_000,
    'integer',
  ),
  milliseconds: numbers(
    (column) => sql`strftime(${WITH_FRACTION}, ${column} / 1000.0, 'unixepoch')`,
    (milliseconds) => Math.round(milliseconds),
    'integer',
  ),
  julian: numbers(
    (column) => sql`strftime(${WITH_FRACTION}, ${column}, 'julianday')`,
    (milliseconds) => milliseconds / MILLISECONDS_OF_DAY + JULIAN_1970,
    'real',
  ),
  tf: {
    read: isTrueOrFalse,
    compared: isTrueOrFalse,
    // A value that stands there for a moment, while others swap theirs, stays what it is.
    encode: (value) => (value === true ? 't' : value === false ? 'f' : value),
    type: 'text',
    fits: ['text', 'none', 'numeric'],
  },
}

export const sqliteForms: ColumnForms = { named: (name) => FORMS[name], ofZone: () => undefined }
