import { sql } from 'kysely'
import type { DatePart } from '../../../asking/groups/aggregate.ts'
import { momentInUtc } from '../../../model/values/long-number.ts'
import { RANGE_FORMATS } from '../../../model/values/schema-facts.ts'
import { constant, type Sql } from '../../text/sql-text.ts'
import type { ValueSql, ValueType } from '../value-sql.ts'
import { moment } from '../value-sql.ts'
import { SQLITE_FUNCTIONS } from './sqlite-functions.ts'

export const sqliteValueSql: ValueSql = Object.freeze<ValueSql>({
  equal: comparable,
  ordered: (column, type) => (TEXTS.includes(type) ? sql`${column} collate binary` : comparable(column, type)),
  isPartlyOrdered: (type, hasForm) => hasForm || type === 'date-time' || type === 'decimal',
  // A column takes values of any type. A moment and a decimal are null there.
  isOfOtherType(value, type) {
    if (type === 'date-time' || type === 'decimal') return undefined
    return isNumber(type) ? sql`typeof(${value}) in ('text', 'blob')` : sql`typeof(${value}) = 'blob'`
  },
  printed(value, type) {
    if (!isNumber(type)) return value
    // As text, SQLite gives a number 15 digits only.
    const exact = sql`replace(printf('%!.17g', ${value}), 'Inf', '9e999')`
    return sql`case typeof(${value}) when 'real' then ${exact} else cast(${value} as text) end`
  },
  // Not the parameter itself: see `parameter`. A sum has no affinity, so the index of an expression serves it, which a
  // cast keeps off.
  reread: (slot, type) => (isNumber(type) ? sql`(select ${slot} + 0)` : sql`(select ${slot})`),
  sum(column, type) {
    if (type === 'decimal')
      return sql`${sql.raw(SQLITE_FUNCTIONS.decimalSum)}(json_group_array(cast(${column} as text)))`
    // `sum` fails beyond 64 bits.
    if (type === 'integer') return sql`cast(total(${column}) as integer)`
    // JSON has no infinity.
    const greatest = sql.raw(String(Number.MAX_VALUE))
    return sql`max(min(total(${column}), ${greatest}), -${greatest})`
  },
  hasOneSpelling: (type) => isNumber(type) && type !== 'date-time',
  smallest: (value) => sql`min(${value} collate binary)`,
  end(value, type, which) {
    const word = sql.raw(which === 'first' ? 'min' : 'max')
    if (type !== 'decimal' && type !== 'date-time') return sql`${word}(${sqliteValueSql.ordered(value, type, true)})`
    // A text that has the order of the values, with the value behind it.
    const key = type === 'decimal' ? comparable(value, type) : sql`printf('%016.3f', ${comparable(value, type)} + 1e11)`
    return sql`json_extract(${word}(json_array(${key}, ${value})) filter (where ${comparable(value, type)} is not null), '$[1]')`
  },
  total(value, type) {
    const sum = type === 'integer' ? wholeSum(value) : sqliteValueSql.sum(value, type)
    return sql`case when count(${value}) > 0 then ${sum} end`
  },
  average(value, type) {
    if (type === 'number') return sql`(${sqliteValueSql.total(value, type)} / count(${value}))`
    return sql`${sql.raw(SQLITE_FUNCTIONS.decimalQuotient)}(${sqliteValueSql.total(value, type)}, count(${value}))`
  },
  datePart(value, type, part, zone) {
    const date = type === 'date' ? value : dateOf(comparable(value, type), zone)
    return partOfDate(date, part)
  },
  jsonOfText: (text) => sql`json_quote(${text})`,
  inJson(column, keys, type) {
    const path = pathOf(keys)
    const types = JSON_TYPES[type] ?? "'text'"
    return ifJson(
      column,
      sql`case when json_type(${column}, ${path}) in (${sql.raw(types)}) then json_extract(${column}, ${path}) end`,
    )
  },
  // What is no JSON is something, too.
  isInJson: (column, keys) =>
    keys.length === 0
      ? sql`coalesce(json_type(case when ${isJson(column)} then ${column} when ${column} is not null then '0' end) <> 'null', false)`
      : sql`coalesce(${ifJson(column, sql`json_type(${column}, ${pathOf(keys)}) <> 'null'`)}, false)`,
  hasElement(column, slot, type) {
    const list = ifJson(column, sql`case json_type(${column}) when 'array' then ${column} end`)
    const types = sql.raw(JSON_TYPES[type] ?? "'text'")
    return sql`exists (select 1 from json_each(${list}) as ${sql.id('crud_element')} where ${sql.id('crud_element')}.type in (${types}) and ${sql.id('crud_element')}.value = (select ${slot}))`
  },
  // Beside a parameter itself, SQLite would compile the statement anew for each value.
  parameter: (slot, type) => sql`(select ${comparable(slot, type)})`,
  encode: encoded,
  isAmong(value, slot, type) {
    // A whole number of JSON is an integer to SQLite, also where a number of JavaScript has fewer digits.
    const given = type === 'number' ? sql`value + 0.0` : comparable(sql`value`, type)
    return sql`${value} in (select ${given} from json_each(${slot}))`
  },
  encodeList: (values, type) => JSON.stringify(values.map((value) => encoded(value, type))),
  text: (column) => column,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  occurs: (text, part) => sqliteValueSql.contains(text, part),
  encodePart: (part) => part,
  startsWith: (text, start) => sql`substr(${text}, 1, length(${start})) = ${start}`,
  endsWith: (text, end) => sql`substr(${text}, -length(${end})) = ${end}`,
  lower: (text, isAll) => sql`${sql.raw(isAll ? SQLITE_FUNCTIONS.lower : 'lower')}(${text})`,
})

/** `sum` fails beyond 64 bits. */
function wholeSum(value: Sql): Sql {
  return sql`cast(cast(sum(${value}) as integer) as text)`
}

function dateOf(moment: Sql, zone: Sql | undefined): Sql {
  if (zone === undefined) return sql`strftime('%Y-%m-%d', ${moment}, 'unixepoch')`
  return sql`${sql.raw(SQLITE_FUNCTIONS.localDate)}(${moment}, ${zone})`
}

function partOfDate(date: Sql, part: DatePart): Sql {
  if (part === 'quarter') return sql`substr(${date}, 1, 4) || '-Q' || ((substr(${date}, 6, 2) + 2) / 3)`
  if (part !== 'week') return sql`substr(${date}, 1, ${sql.lit({ year: 4, month: 7, day: 10 }[part])})`
  // A week is of the year of its Thursday. Older versions of SQLite have no format for it.
  const thursday = sql`date(${date}, '-3 days', 'weekday 4')`
  return sql`substr(${thursday}, 1, 4) || '-W' || substr('0' || ((strftime('%j', ${thursday}) - 1) / 7 + 1), -2)`
}

const TEXTS: readonly ValueType[] = ['string', 'duration', ...RANGE_FORMATS]

/**
 * Whether a column holds JSON, and nothing besides. SQLite reads JSON as far as the first NUL, but concatenates what is
 * behind it, too.
 */
export function isJson(column: Sql): Sql {
  return sql`json_valid(${column}) and instr(${column}, char(0)) = 0`
}

/** The functions of JSON fail for what is none. Behind AND they would be called for it, too. */
function ifJson(column: Sql, value: Sql): Sql {
  return sql`case when ${isJson(column)} then ${value} end`
}

const JSON_TYPES: Readonly<Partial<Record<ValueType, string>>> = {
  integer: "'integer','real'",
  number: "'integer','real'",
  boolean: "'true','false'",
}

/** Whether values of the type are compared as numbers. */
function isNumber(type: ValueType): boolean {
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'date-time'
}

/** A column or parameter as values of the type are compared. */
function comparable(value: Sql, type: ValueType): Sql {
  switch (type) {
    case 'decimal':
      return sql`${sql.raw(SQLITE_FUNCTIONS.decimal)}(${value})`
    case 'date-time':
      return moment('sqlite', value)
    default:
      return value
  }
}

function encoded(value: unknown, type: ValueType): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  // In the one form that SQLite reads on all platforms. It compares milliseconds.
  if (type === 'date-time') return momentInUtc(value as string)
  // There is no negative zero in JSON.
  return typeof value === 'number' ? value + 0 : value
}

/** A path for SQLite's JSON functions. The keys come from the model. */
function pathOf(keys: readonly string[]): Sql {
  return constant(`$${keys.map((key) => `."${key}"`).join('')}`)
}
