import { sql } from 'kysely'
import type { DatePart } from '../../../asking/groups/aggregate.ts'
import type { ElementType } from '../../../asking/scalar-type.ts'
import { constant, join, type Sql } from '../../text/sql-text.ts'
import { DECIMALS_OF_AVERAGE, moment, type ValueSql, type ValueType } from '../value-sql.ts'
import { decimalText, durationText, rangeInUtc, rangeText, timeText } from './postgres-texts.ts'
import { baseValue } from './type-of.ts'

/** A parameter without a type takes that of the column beside it: numbers, and strings and dates in columns of any
 * type. */
const CASTS: Readonly<Partial<Record<ValueType, Sql>>> = {
  decimal: sql`::numeric`,
  integer: sql`::bigint`,
  boolean: sql`::boolean`,
  // A driver may make a `Date` of a parameter of the type, which rounds.
  timestamptz: sql`::text::timestamptz`,
}

const ELEMENTS: Readonly<Record<ElementType, Sql>> = {
  string: sql`::text`,
  integer: sql`::bigint`,
  number: sql`::float8`,
  boolean: sql`::boolean`,
}

/** The point in time of a parameter, which stands once in the statement. */
const MOMENT_OF_TEXT = moment('postgres', sql`given.text`)

/** As `to_char` takes them. */
const FORMATS_OF_PARTS: Readonly<Record<DatePart, string>> = {
  year: 'YYYY',
  quarter: 'YYYY"-Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY"-W"IW',
  day: 'YYYY-MM-DD',
}

export const postgresValueSql: ValueSql = Object.freeze<ValueSql>({
  equal(column, type, isIndexed) {
    // Of the casts to text, that to JSON alone does not depend on the session's DateStyle. But no index can hold it.
    if (type === 'date-time') return isIndexed ? moment('postgres', column) : momentOf(sql`to_json(${column}) #>> '{}'`)
    if (type === 'decimal') return sql`${column}::numeric`
    return type === 'enum domain' ? baseValue(column) : column
  },
  ordered: (column, type, isIndexed) =>
    TEXTS.includes(type) ? postgresValueSql.text(column, type) : postgresValueSql.equal(column, type, isIndexed),
  isPartlyOrdered: () => false,
  isOfOtherType: () => undefined,
  // A date or a moment prints as the session likes it, but in JSON.
  printed(value, type) {
    if (type === 'timestamptz') return printedMoment(value, sql`${value} at time zone 'UTC'`, 'Z')
    if (type === 'timestamp') return printedMoment(value, value, '')
    if (type === 'duration') return durationText(value)
    return type === 'date' ? sql`to_json(${value}) #>> '{}'` : sql`(${value})::text`
  },
  // What a type prints it also reads: the parameter takes the type of the value.
  reread: (slot) => slot,
  sum: (column, type) =>
    type === 'number' ? sumOfNumbers(column) : sql`coalesce(sum(${postgresValueSql.equal(column, type, false)}), 0)`,
  hasOneSpelling: (type) => type === 'boolean' || COMPARED_AS_THEY_ARE.includes(type),
  smallest(value, type) {
    if (COMPARED_AS_THEY_ARE.includes(type)) return sql`min(${value})`
    return sql`min(${spelled(value, type)} collate "C")`
  },
  end(value, type, which) {
    const word = sql.raw(which === 'first' ? 'min' : 'max')
    if (COMPARED_AS_THEY_ARE.includes(type) || type === 'decimal' || type === 'duration')
      return sql`${word}(${postgresValueSql.equal(value, type, true)})`
    if (type !== 'date-time') return sql`${word}(${postgresValueSql.text(value, type)})`
    // A text that has the order of the moments, with the value behind it.
    const key = sql`to_char(${moment('postgres', value)} + 1e11, 'FM000000000000.000000')`
    return sql`substr(${word}((${key} || ' ' || ${spelled(value, type)}) collate "C"), 21)`
  },
  total(value, type) {
    if (type === 'number') return sql`case when count(${value}) > 0 then ${sumOfNumbers(value)} end`
    return type === 'integer' ? sql`trim_scale(sum(${value})::numeric)` : sql`sum((${value})::numeric)`
  },
  average(value, type) {
    const [total, count] = [postgresValueSql.total(value, type), sql`count(${value})`]
    if (type === 'number') return sql`(${total} / nullif(${count}, 0))`
    const unit = sql.raw(`1e${DECIMALS_OF_AVERAGE}`)
    const rounded = sql`div(2 * abs(${total}) * ${unit} + ${count}, 2 * ${count})`
    return sql`trim_scale(sign(${total}) * ${rounded} * 1e-${sql.raw(String(DECIMALS_OF_AVERAGE))})`
  },
  datePart(value, type, part, zone) {
    const date = type === 'date' ? value : localTime(value, type, zone === undefined ? sql`'UTC'` : sql`${zone}::text`)
    return sql`to_char(${date}, ${sql.lit(FORMATS_OF_PARTS[part])})`
  },
  jsonOfText: (text) => sql`to_json(${text})::text`,
  inJson(column, keys, type) {
    const value = atPlace(column, keys)
    const text = sql`${value} #>> '{}'`
    switch (type) {
      case 'integer':
      case 'number':
        return sql`case when jsonb_typeof(${value}) = 'number' then (${text})::numeric end`
      case 'boolean':
        return sql`case when jsonb_typeof(${value}) = 'boolean' then (${text})::boolean end`
      default:
        return sql`case when jsonb_typeof(${value}) = 'string' then ${text} end`
    }
  },
  isInJson(column, keys) {
    const value = keys.length === 0 ? sql`to_jsonb(${column})` : atPlace(column, keys)
    return sql`coalesce(jsonb_typeof(${value}) <> 'null', false)`
  },
  hasElement(column, slot, type, array) {
    const element = sql`${slot}${ELEMENTS[type]}`
    // A GIN index of the column serves the conditions with `@>`, but for the first.
    if (array === undefined) return sql`to_jsonb(${column}) @> jsonb_build_array(${element})`
    if (array === 'jsonb') return sql`(${column})::jsonb @> jsonb_build_array(${element})`
    return type === 'string' ? sql`${column} @> array[${element}]::${sql.raw(array)}` : sql`${element} = any(${column})`
  },
  parameter(slot, type) {
    if (type === 'date-time') return momentOf(sql`${slot}::text`)
    if (type === 'timestamp') return sql`(${slot}::text::timestamptz at time zone 'UTC')`
    return CASTS[type] === undefined ? slot : sql`${slot}${CASTS[type]}`
  },
  encode: encoded,
  isAmong(value, slot, type) {
    if (type === 'date-time')
      return sql`${value} in (select ${MOMENT_OF_TEXT} from unnest(${slot}::text[]) as given(text))`
    if (type === 'timestamptz') return sql`${value} = any(${slot}::text[]::timestamptz[])`
    if (type === 'timestamp')
      return sql`${value} in (select given.at at time zone 'UTC' from unnest(${slot}::text[]::timestamptz[]) as given(at))`
    return CASTS[type] === undefined ? sql`${value} = any(${slot})` : sql`${value} = any(${slot}${CASTS[type]}[])`
  },
  encodeList: (values, type) =>
    `{${values.map((value) => `"${String(encoded(value, type)).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
  // The bytes of UTF-8 have the order of the code points.
  text: (column, type) => sql`(${asPrinted(column, type)})::text collate "C"`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  occurs: (text, pattern) => sql`${text} like ${pattern}`,
  encodePart: (part) => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`,
  startsWith: (text, start) => sql`starts_with(${text}, ${start})`,
  endsWith: (text, end) => sql`right(${text}, length(${end})) = ${end}`,
  lower: (text, isAll) => (isAll ? sql`lower(${text} collate pg_c_utf8)` : sql`lower(${text} collate "C")`),
})

/**
 * `sum` fails where it grows beyond the doubles. So what is nearly that large is added exactly, and what is beyond
 * becomes the greatest double.
 */
function sumOfNumbers(column: Sql): Sql {
  const others = sql`coalesce(sum(${column}) filter (where abs(${column}) < 1e290), 0)`
  const large = sql`sum(${column}::text::numeric) filter (where abs(${column}) >= 1e290)`
  const greatest = sql.raw(String(Number.MAX_VALUE))
  const bounded = sql`least(greatest(${large} + ${others}::text::numeric, -${greatest}), ${greatest})`
  return sql`case when ${large} is null then ${others} else (${bounded})::double precision end`
}

/** Types whose equal values look the same. */
const COMPARED_AS_THEY_ARE: readonly ValueType[] = ['timestamptz', 'timestamp', 'date', 'integer', 'number']

/** A value as a text that its field would have. */
function spelled(value: Sql, type: ValueType): Sql {
  switch (type) {
    case 'decimal':
      return sql`(${decimalText(value)})`
    case 'duration':
      return durationText(value)
    case 'date-time':
      return sql`(to_json(${value}) #>> '{}')`
    default:
      return postgresValueSql.text(value, type)
  }
}

/** A moment as the clocks of a zone show it. */
function localTime(value: Sql, type: ValueType, zone: Sql): Sql {
  switch (type) {
    case 'timestamptz':
      return sql`(${value} at time zone ${zone})`
    case 'timestamp':
      return sql`(${value} at time zone 'UTC' at time zone ${zone})`
    default:
      return sql`(to_timestamp(${moment('postgres', value)}::double precision) at time zone ${zone})`
  }
}

/** The same in every session, and for all years that a column can hold. */
function printedMoment(value: Sql, local: Sql, zone: 'Z' | ''): Sql {
  const format = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.US"${zone}" BC'`)
  return sql`case when isfinite(${value}) then to_char(${local}, ${format}) else (${value})::text end`
}

/** Of a text that takes long, or is a parameter: it stands once. */
function momentOf(text: Sql): Sql {
  return sql`(select ${MOMENT_OF_TEXT} from (select ${text}) as given(text))`
}

/** What is ordered as a text. */
const RANGES: readonly ValueType[] = ['date-time-range', 'date-range', 'range']
const TEXTS: readonly ValueType[] = ['string', 'inet', 'timetz', 'enum domain', ...RANGES]

function encoded(value: unknown, type: ValueType): unknown {
  return type === 'range' ? rangeInUtc(String(value)) : value
}

function asPrinted(column: Sql, type: ValueType): Sql {
  if (RANGES.includes(type)) return rangeText(column)
  if (type === 'timetz') return timeText(column)
  return type === 'inet' ? host(column) : column
}

/** As a text, an address has a mask. In JSON, that of one host has none. */
function host(address: Sql): Sql {
  return sql`to_json(${address}) #>> '{}'`
}

function atPlace(column: Sql, keys: readonly string[]): Sql {
  return sql`((${column})::jsonb #> array[${join(keys.map(constant))}])`
}
