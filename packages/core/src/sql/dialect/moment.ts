import { sql } from 'kysely'
import type { DatabaseName } from '../../model/database-name.ts'
import { join, type Sql } from '../text/sql-text.ts'

/** Where the column stands in the texts below. */
const COLUMN = '$column'

/**
 * PostgreSQL: `text::timestamptz` depends on the session's time zone, so no index can hold it. All that is called here depends on its
 * arguments alone. It never fails: it is null for what is no `date-time`. The years from 400 on have the calendar of those from 0 on,
 * and there is no year 0 in PostgreSQL. Digits after the sixth place do not count, as in `timestamptz`.
 *
 * `[0-9]` and `[.]`, as a backslash in a text depends on `standard_conforming_strings`, and `\d` on the collation.
 */
const POSTGRES =
  `case when $column ~ '^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?$'
then ((make_date(substr($column, 1, 4)::int4 + 400, substr($column, 6, 2)::int4, 1) - date '2370-01-01' + substr($column, 9, 2)::int4 - 1)::int8 * 86400
+ substr($column, 12, 2)::int4 * 3600 + substr($column, 15, 2)::int4 * 60)::numeric
+ substring($column, '^.{17}([0-9]{2}(?:[.][0-9]{1,6})?)')::numeric
- coalesce((substring($column, '([+-])[0-9]{2}:?(?:[0-9]{2})?$') || '1')::int4, 0)
* (coalesce(substring($column, '[+-]([0-9]{2}):?(?:[0-9]{2})?$')::int4, 0) * 3600
+ coalesce(substring($column, '[+-][0-9]{2}:?([0-9]{2})$')::int4, 0) * 60) end`.replaceAll('\n', ' ')

const TEXTS: Readonly<Record<DatabaseName, string>> = {
  // Null where `t` is a lower-case letter, where an offset has no colon, and for a leap second.
  sqlite: "unixepoch($column, 'subsec')",
  // A column of another type, such as `timestamptz`, becomes text. For a text column this changes nothing.
  postgres: POSTGRES.replaceAll(COLUMN, `(${COLUMN})::text`),
}

/**
 * The point in time that a `date-time` names, in seconds since 1970: on SQLite to the millisecond, on PostgreSQL to the microsecond.
 * An index of `createTables` is over this very expression. So what is compared with it is best made by it, too.
 */
export function moment(database: DatabaseName, dateTime: Sql): Sql {
  const [first = '', ...others] = TEXTS[database].split(COLUMN)
  return join([sql.raw(first), ...others.flatMap((text) => [dateTime, sql.raw(text)])], sql``)
}

/** The same as text, for a column that is quoted. */
export function momentText(database: DatabaseName, column: string): string {
  return TEXTS[database].replaceAll(COLUMN, () => column)
}
