import type { DatePart } from '../../asking/groups/group-key.ts'
import type { ElementType, ScalarType } from '../../asking/scalar-type.ts'
import type { Sql } from '../text/sql-text.ts'

/** How values of each type are compared in the SQL of one database. Ids are compared by their `IdSql`. */
export interface ValueSql {
  /**
   * A column as what is equal to a {@link parameter}: by the column's own equality where it has one. `isIndexed`: as an index has it,
   * which is right only where the session prints moments as ISO 8601 does.
   */
  equal(column: Sql, type: ValueType, isIndexed: boolean): Sql
  /** A column as what has an order: texts by their code points, points in time, exact numbers. `isIndexed`: as for {@link equal}. */
  ordered(column: Sql, type: ValueType, isIndexed: boolean): Sql
  /** Whether {@link ordered} is null for some values that are not. `hasForm`: the column spells its values in a way of its own. */
  isPartlyOrdered(type: ValueType, hasForm: boolean): boolean
  /** Whether {@link ordered} has given a value of another type, of which {@link printed} loses something; undefined: it never does. */
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
  /** The year, month or day of a date or moment, as ISO 8601 writes it. `zone`: a parameter with its name; undefined: UTC. */
  datePart(value: Sql, type: ValueType, part: DatePart, zone: Sql | undefined): Sql
  /** A text as JSON. */
  jsonOfText(text: Sql): Sql
  /** A value inside of a JSON column; null unless it is of the type. */
  inJson(column: Sql, keys: readonly string[], type: ValueType): Sql
  /** Whether a JSON column has something at the place that is not null. Without keys, the column of a JSON field may be an array. */
  isInJson(column: Sql, keys: readonly string[]): Sql
  /**
   * Whether an array of scalars has the element in a parameter that {@link encode} made. `array`: the type of its column,
   * `jsonb` for any JSON; undefined: not known.
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
  /** The same, in a form that an index of trigrams serves. `pattern`: a parameter that {@link encodePart} made, perhaps in lower case. */
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
export type ValueType = SingleType | 'timestamptz' | 'timestamp' | 'inet' | 'enum domain' | 'range'
