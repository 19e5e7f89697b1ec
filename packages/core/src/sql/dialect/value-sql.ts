import { type ColumnDataType, sql } from 'kysely'
import type { DatePart } from '../../asking/groups/aggregate.ts'
import type { ElementType, ScalarType } from '../../asking/scalar-type.ts'
import type { DatabaseName } from '../../model/database-name.ts'
import type { Stored, StoredName } from '../../model/descriptors/stored.ts'
import { join, type Sql } from '../text/sql-text.ts'

/** How values of each type are compared in the SQL of one database. Ids are compared by their `IdSql`. */
export interface ValueSql {
  /**
   * A column as what is equal to a {@link parameter}: by the column's own equality where it has one. `isIndexed`: as an
   * index has it, which is right only where the session prints moments as ISO 8601 does.
   */
  equal(column: Sql, type: ValueType, isIndexed: boolean): Sql
  /** A column as what has an order: texts by their code points, points in time, exact numbers. `isIndexed`: as for
   * {@link equal}. */
  ordered(column: Sql, type: ValueType, isIndexed: boolean): Sql
  /** Whether {@link ordered} is null for some values that are not. `hasForm`: the column spells its values in a way of
   * its own. */
  isPartlyOrdered(type: ValueType, hasForm: boolean): boolean
  /** Whether {@link ordered} has given a value of another type, of which {@link printed} loses something; undefined: it
   * never does. */
  isOfOtherType(value: Sql, type: ValueType): Sql | undefined
  /** A value that {@link ordered} or {@link inJson} gave, as a text that loses nothing. */
  printed(value: Sql, type: ValueType): Sql
  /** The value again, from a parameter with its text. Stands beside the value that it is compared with. */
  reread(slot: Sql, type: ValueType): Sql
  /** The sum of a column over all rows of a query, 0 if there are none: of integers, numbers or decimals. */
  sum(column: Sql, type: ValueType): Sql
  /** Whether values that are {@link equal} are the same. */
  hasOneSpelling(type: ValueType): boolean
  /** Of values that are {@link equal}, the one whose spelling is smallest: over the rows of a group. */
  smallest(value: Sql, type: ValueType): Sql
  /** The first or the last value in the order of {@link ordered}, over the rows of a group. */
  end(value: Sql, type: ValueType, which: 'first' | 'last'): Sql
  /** The sum over the rows of a group, null if there are none: of integers and decimals an exact decimal. */
  total(value: Sql, type: ValueType): Sql
  /** The same of the average: exact, and then rounded half away from zero to {@link DECIMALS_OF_AVERAGE} decimals. */
  average(value: Sql, type: ValueType): Sql
  /** The year, month or day of a date or moment, as ISO 8601 writes it. `zone`: a parameter with its name; undefined:
   * UTC. */
  datePart(value: Sql, type: ValueType, part: DatePart, zone: Sql | undefined): Sql
  /** A text as JSON. */
  jsonOfText(text: Sql): Sql
  /** A value inside of a JSON column; null unless it is of the type. */
  inJson(column: Sql, keys: readonly string[], type: ValueType): Sql
  /** Whether a JSON column has something at the place that is not null. Without keys, the column of a JSON field may be
   * an array. */
  isInJson(column: Sql, keys: readonly string[]): Sql
  /**
   * Whether an array of scalars has the element in a parameter that {@link encode} made. `array`: the type of its
   * column, `jsonb` for any JSON; undefined: not known.
   */
  hasElement(column: Sql, slot: Sql, type: ElementType, array: string | undefined): Sql
  /** What a value is compared with: a parameter that {@link encode} made. */
  parameter(slot: Sql, type: ValueType): Sql
  encode(value: unknown, type: ValueType): unknown
  /** Whether a value is one of the list in a parameter that {@link encodeList} made. */
  isAmong(value: Sql, slot: Sql, type: ValueType): Sql
  encodeList(values: readonly unknown[], type: ValueType): string
  /** Any column as a text: as answers show it, and compared by its code points. */
  text(column: Sql, type: ValueType): Sql
  contains(text: Sql, part: Sql): Sql
  /** The same, in a form that an index of trigrams serves. `pattern`: a parameter that {@link encodePart} made, perhaps
   * in lower case. */
  occurs(text: Sql, pattern: Sql): Sql
  encodePart(part: string): string
  startsWith(text: Sql, start: Sql): Sql
  endsWith(text: Sql, end: Sql): Sql
  /** The lower case of each code point: of all letters, or of ASCII only. */
  lower(text: Sql, isAll: boolean): Sql
}

/** How many digits an average has behind the point, at most. */
export const DECIMALS_OF_AVERAGE = 16

/** The types that the model has. */
export type SingleType = Exclude<ScalarType, 'id'>

/** A `date-time` is one in a column of any type, the last ones are in one of that type of PostgreSQL. */
export type ValueType = SingleType | 'timestamptz' | 'timestamp' | 'timetz' | 'inet' | 'enum domain' | 'range'

/** How the values of a field are written to a column that spells them otherwise than the dialect expects. */
export interface WrittenForm {
  /** A value of a body as a statement carries it. */
  encode(value: unknown): unknown
  /** A value of a body as answers show it again, on PostgreSQL. Default: as it is. */
  shown?(value: unknown): unknown
  /** A parameter that {@link encode} made, as the column holds it. Default: as it is. */
  ofParameter?(parameter: Sql): Sql
  /** The same, of rows that travel as JSON. Default: as it is. */
  inRow?(value: Sql): Sql
}

/** How a column spells the values of a field, where it does otherwise than the dialect expects. */
export interface ColumnForm extends WrittenForm {
  /** A value of the column, as a column that the dialect expects would have it: null if the field can have no such
   * value. */
  read(column: Sql): Sql
  /** The same for a comparison with others. */
  compared(column: Sql): Sql
  /** The type that `createTables` gives to such a column. */
  readonly type: ColumnDataType
  /** The types that keep such values as they are. PostgreSQL: as in the catalog. SQLite: affinities. */
  readonly fits: readonly string[]
}

/** The forms that a field's `stored` can choose; undefined if the database has no such columns. */
export interface ColumnForms {
  named(name: StoredName): ColumnForm | undefined
  ofZone(zone: string): ColumnForm | undefined
}

export function formIn(forms: ColumnForms, stored: Stored | undefined): ColumnForm | undefined {
  if (stored === undefined) return undefined
  return typeof stored === 'string' ? forms.named(stored) : forms.ofZone(stored.zone)
}

/** Where the column stands in the texts below. */
const COLUMN = '$column'

/**
 * PostgreSQL: `text::timestamptz` depends on the session's time zone, so no index can hold it. All that is called here
 * depends on its arguments alone. It never fails: it is null for what is no `date-time`. The years from 400 on have the
 * calendar of those from 0 on, and there is no year 0 in PostgreSQL. Digits after the sixth place do not count, as in
 * `timestamptz`.
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
 * The point in time that a `date-time` names, in seconds since 1970: on SQLite to the millisecond, on PostgreSQL to the
 * microsecond. An index of `createTables` is over this very expression. So what is compared with it is best made by it,
 * too.
 */
export function moment(database: DatabaseName, dateTime: Sql): Sql {
  const [first = '', ...others] = TEXTS[database].split(COLUMN)
  return join([sql.raw(first), ...others.flatMap((text) => [dateTime, sql.raw(text)])], sql``)
}

/** The same as text, for a column that is quoted. */
export function momentText(database: DatabaseName, column: string): string {
  return TEXTS[database].replaceAll(COLUMN, () => column)
}
