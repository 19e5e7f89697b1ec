import { sql } from 'kysely'
import { RANGE_FORMATS, textFormat } from '../../../model/values/schema-facts.ts'
import { column, constant, join, partsOf, type Sql } from '../../text/sql-text.ts'
import {
  ABSENT,
  type Dialect,
  hexOf,
  type Pipelining,
  REPLICA,
  ROW_INDEX,
  type RowsColumn,
  UNDONE,
  UNSHOWN,
} from '../dialect.ts'
import type { SingleType } from '../value-sql.ts'
import { postgresIds } from './ids/postgres-ids.ts'
import type { LearnedType } from './learned-types.ts'
import { postgresForms } from './postgres-forms.ts'
import {
  isTimeWithZone,
  jsonOfDecimal,
  jsonOfDuration,
  jsonOfKnownMoment,
  jsonOfMoment,
  jsonOfRange,
  timeText,
} from './postgres-texts.ts'
import { postgresValueSql } from './postgres-value-sql.ts'
import { hideFromPlanner } from './type-of.ts'

/** The types of parameters that no column is beside. One that is compared with a string has any type that can be
 * written as one. */
const CASTS: Readonly<Record<SingleType, Sql>> = {
  string: sql``,
  integer: sql`::bigint`,
  number: sql`::float8`,
  boolean: sql`::boolean`,
  decimal: sql`::numeric`,
  date: sql`::date`,
  // An interval or a text, as the column has it.
  duration: sql``,
  'date-time-range': sql``,
  'date-range': sql``,
  'date-time': sql`::timestamptz`,
}

export const postgres: Dialect & { readonly pipelining: Pipelining } = {
  // A read behind the lock must see what the last writer left. Under a stricter default it would not.
  begin: 'begin isolation level read committed',
  reading: { first: 'set transaction read only' },
  isolation: 'read committed',
  hasSavepoints: true,
  checkDeferred: ['set constraints all immediate'],
  deferForeignKeys: undefined,
  // Not every engine that speaks PostgreSQL's protocol knows the setting.
  plansWithoutValues: sql`select set_config('plan_cache_mode', 'force_generic_plan', true) where current_setting('plan_cache_mode', true) is not null`,
  othersMayWrite: true,
  rowLocks: {
    'for no key update': sql`for no key update`,
    'for update': sql`for update`,
    'for key share': sql`for key share`,
  },
  hasComparingUpdates: true,
  sendsAnswers: true,
  pipelining: {
    keepsIds: true,
    failUnlessSame(query, json, message) {
      const found = sql`${sql.id('crud_found')}.json`
      const fail = failWith(message, found)
      // The offset has the planner plan the inner query by itself. Beside the cost of its JSON, reading the whole table
      // for one row would look cheap.
      return sql`select case when ${found} is distinct from ${json}::text then ${fail} end as ${sql.id('same')} from (select) as ${sql.id('crud_one')} left join (${query} offset 0) as ${sql.id('crud_found')} on true`
    },
    failIfFewer(count, expected) {
      const written = sql.id('crud_written')
      const fail = failWith(UNDONE, sql`${written}.count::text`)
      // The offset has the planner count once.
      return sql`(select case when ${written}.count < ${expected}::numeric then ${fail} end from (select ${count} as count offset 0) as ${written})`
    },
  },

  byteLength: (column) => sql`octet_length(${column}::text)`,
  jsonField(value, field, type) {
    switch (field.storage) {
      case 'string':
        return jsonOfText(value, textFormat(field.schema), type)
      case 'bytes':
        // PostgreSQL breaks the lines of base64.
        return sql`coalesce('"' || translate(encode(${value}, 'base64'), chr(10), '') || '"', 'null')`
      case 'date':
        return shownIf(sql`${value} between '0001-01-01' and '9999-12-31'`, value, sql`to_json(${value})::text`)
      case 'number':
        return shownIf(sql`${value} between -${GREATEST} and ${GREATEST}`, value, sql`to_json(${value})::text`)
      case 'integer':
        return shownIf(
          sql`${value} between -${SAFE_INTEGER} and ${SAFE_INTEGER} and ${value} % 1 = 0`,
          value,
          sql`${value}::text`,
        )
      case 'boolean':
        return sql`coalesce(${value}::text, 'null')`
      // A column of an array, too.
      case 'json':
        return sql`coalesce(to_json(${value})::text, 'null')`
    }
  },
  // All forms read moments.
  jsonIfRead: (_, read, field) => postgres.jsonField(read, field, 'timestamptz'),
  jsonComputed(value, field) {
    // A sum may be any number.
    if (field.storage === 'integer' || field.storage === 'number') return sql`coalesce(to_json(${value})::text, 'null')`
    const isPrintedBySql = field.storage === 'string' && PRINTED_BY_SQL.includes(String(textFormat(field.schema)))
    if (!isPrintedBySql && field.storage !== 'date') return postgres.jsonField(value, field)
    const once = postgres.computedOnce(sql`select ${value} as value`)
    return sql`(select ${postgres.jsonField(sql`given.value`, field)} from ${once} as given)`
  },
  isDifferent(_, value, field, parameter) {
    switch (field.storage) {
      // As JSON text: the column's type or its collation may find two different texts equal.
      case 'string':
      case 'date':
        return sql`${postgres.jsonField(value, field)} is distinct from ${parameter}::text`
      // As float8, the numbers that a reader of JSON has, whatever the type of the column.
      case 'integer':
      case 'number':
        return sql`${value}::text::float8 is distinct from ${parameter}::float8`
      case 'bytes':
        return sql`${value} is distinct from decode(${parameter}::text, 'hex')`
      case 'boolean':
        return sql`${value} is distinct from ${parameter}`
    }
  },
  encodeCompared(value, encoded, { storage, form }) {
    if (storage !== 'string' && storage !== 'date') return encoded
    return JSON.stringify(value === null ? null : (form?.shown?.(value) ?? value))
  },
  joinRowByRow(rows, source, condition) {
    const { name } = source
    // The planner does not merge a query that has an offset into the one around it, so it has no other way to join
    // them.
    return sql`${rows} cross join lateral (select ${name}.* ${source.from(condition)} offset 0) as ${name}`
  },
  // Without an offset, the planner would put the expressions in place of the columns.
  computedOnce: (query) => sql`(${query} offset 0)`,
  momentNow: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  quantity: (parameter) => hideFromPlanner(sql`${parameter}::bigint`),
  hasSearchTables: false,
  takesNullsForEqual: false,
  // PostgreSQL has no array of row values that an index could serve.
  isFound: (id, ids) => (partsOf(id).length > 1 ? sql`${id} in (${ids})` : sql`${id} = any (array(${ids}))`),
  // For the first rows alone, the planner might read the table from its beginning until it has found them.
  firstOf: (rows, limit) => sql`with crud_all as materialized (${rows}) select * from crud_all limit ${limit}`,
  // For a page of unknown size the planner expects a tenth of the table, and the JSON of so many rows looks so
  // expensive that PostgreSQL compiles the statement (JIT). For an array of unknown size it expects ten rows.
  page({ source, byId, conditions, id, order, limit, offset }) {
    const by = join(order)
    const ids = sql`select ${join(partsOf(id))} ${source.from(...conditions)} order by ${by} limit ${limit} offset ${offset}`
    return sql`select * ${byId.from(postgres.isFound(id, ids))} order by ${by}`
  },

  mostRowsAtOnce: Number.POSITIVE_INFINITY,
  // One parameter is as fast, and needs only one statement for any number of rows.
  mostBoundInserts: 1,
  value(parameter, { storage, form }) {
    if (form?.ofParameter !== undefined) return form.ofParameter(parameter)
    if (typeof storage === 'object') return storage.inRow(parameter)
    if (storage === 'bytes') return sql`decode(${parameter}::text, 'hex')`
    return storage === 'json' ? sql`${parameter}::text::json` : parameter
  },
  compared: (parameter) => parameter,
  ofCaller(parameter, type) {
    if (type.name === 'id') return postgres.ids[type.kind.stored].typed(parameter)
    // A column may have fewer bits than the integer, which is no error then. All else takes the type of the column.
    if (type.isOfColumn && type.name !== 'integer') return parameter
    return sql`${parameter}${CASTS[type.name]}`
  },
  encodeValue(value, { storage, form }) {
    if (value === null) return value
    if (storage === 'bytes') return hexOf(value)
    const encoded = form === undefined ? value : form.encode(value)
    return storage === 'json' ? JSON.stringify(encoded) : encoded
  },
  rows(parameter, { table, columns }, use) {
    const [row, record] = [sql.id('crud_row'), sql.id('crud_record')]
    const selected = join(
      columns.map(({ name, storage, form }) => {
        const value = column('crud_record', name)
        const inRow = typeof storage === 'object' ? storage.inRow(value) : (form?.inRow?.(value) ?? value)
        return inRow === value ? value : sql`${inRow} as ${sql.id(name)}`
      }),
    )
    // The type of the table's rows. By its name, a table "box" or "line" would mean a type of PostgreSQL's own.
    const type = sql`(select ${sql.id('crud_type')} from ${table.sql} as ${sql.id('crud_type')} where false)`
    // Some drivers encode a parameter of type jsonb as JSON, although it is JSON already.
    const json = sql`${parameter}::text::jsonb`
    const records = sql`jsonb_populate_recordset(${type}, ${json})`
    switch (use) {
      case 'inserted':
        return sql`(select ${selected} from ${records} as ${record})`
      case 'joined':
      case 'set':
        return sql`(select ${selected} from ${asTenRows(sql`select ${records}`)} as ${record})`
      case 'mixed': {
        const rows = asTenRows(sql`select jsonb_array_elements(${json})`)
        // A join may go through them once for each row of the table.
        return sql`(with crud_given as materialized (select ${row}, ${selected} from ${rows} as ${row}, jsonb_populate_record(${type}, ${row}) as ${record}) select * from crud_given)`
      }
      case 'numbered': {
        const [number, rows] = [sql.id('crud_number'), asTenRows(sql`select jsonb_array_elements(${json})`)]
        return sql`(select ${number} - 1 as ${sql.id(ROW_INDEX)}, ${selected} from ${rows} with ordinality as crud_rows (${row}, ${number}), jsonb_populate_record(${type}, ${row}) as ${record})`
      }
    }
  },
  encodeRows: (rows, { columns }) => JSON.stringify(rows.map((row) => toObject(row, columns))),
  hasColumn: (alias, one) => sql`${column(alias, 'crud_row')} ? ${constant(one.inDatabase)}`,

  sequences: undefined,
  isView: undefined,
  lastDrawn: ({ text }, name) =>
    sql`select pg_sequence_last_value(pg_get_serial_sequence(${sql.lit(text)}, ${sql.lit(name)})::regclass) as ${sql.id('drawn')}`,
  // A writer has the lock before it draws a position, and keeps it until all can see its rows.
  writersOf: ({ text }) =>
    sql`select distinct virtualtransaction as ${sql.id('writer')} from pg_locks where locktype = 'relation' and relation = ${sql.lit(text)}::regclass and database = (select oid from pg_database where datname = current_database()) and mode = 'RowExclusiveLock' and granted union all select ${sql.lit(REPLICA)} where pg_is_in_recovery()`,
  ids: postgresIds,
  forms: postgresForms,
  values: postgresValueSql,
}

/** What takes more SQL than the type's own text. */
const PRINTED_BY_SQL: readonly string[] = ['date-time', 'time', 'iso-time', 'duration', 'decimal', ...RANGE_FORMATS]

const GREATEST = sql.raw(String(Number.MAX_VALUE))
const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

/** A column may hold infinity, a number that is none, a year BC, or more digits than a number of JavaScript has. */
function shownIf(canBeShown: Sql, value: Sql, json: Sql): Sql {
  return sql`case when ${canBeShown} then ${json} when ${value} is null then 'null' else ${MARK} end`
}

/** {@link UNSHOWN} */
const MARK = sql`chr(${sql.lit(UNSHOWN.charCodeAt(0))})`

/** A `time` may be 24:00:00, and the offset of a `timetz` may have seconds. Neither is one of a clock. */
const NO_TIME = sql.raw("'^24:|[+-][0-9]{2}:[0-9]{2}:'")

/** A string may be in a column of another type (numeric, uuid, an enum): it is what that type prints, in some formats
 * by way of SQL. */
function jsonOfText(value: Sql, format: string | undefined, type?: LearnedType): Sql {
  switch (format) {
    case 'date-time':
      if (type === 'timestamptz' || type === 'timestamp') return jsonOfKnownMoment(value, type)
      return jsonOfMoment(value)
    case 'duration':
      return jsonOfDuration(value)
    case 'date-time-range':
    case 'date-range':
      return jsonOfRange(value)
    case 'decimal':
      return jsonOfDecimal(value)
    case 'time':
    case 'iso-time':
      return shownIf(sql`${value}::text !~ ${NO_TIME}`, value, jsonOfTime(value))
    case 'ipv4':
    case 'ipv6':
      // As a text, an `inet` of one host has a mask. In JSON it has none.
      return sql`coalesce(to_json(${value})::text, 'null')`
    default:
      return sql`coalesce(to_json(${value}::text)::text, 'null')`
  }
}

function jsonOfTime(value: Sql): Sql {
  return sql`to_json(case when ${isTimeWithZone(value)} then ${timeText(value)} else ${value}::text end)::text`
}

/** It depends on the row, because the planner computes a constant expression at once, and would fail. */
function failWith(message: string, found: Sql): Sql {
  return sql`cast(${constant(message)} || left(coalesce(${found}, ''), 0) as integer)`
}

/** By columns; three times as fast as `Object.fromEntries`. */
function toObject(row: readonly unknown[], columns: readonly RowsColumn[]): object {
  const object: Record<string, unknown> = {}
  for (const [index, { inDatabase, storage, form }] of columns.entries()) {
    const given = row[index]
    if (given === ABSENT) continue
    const encoded = form === undefined || given === null ? given : form.encode(given)
    const value = storage === 'bytes' && given !== null ? `\\x${hexOf(given)}` : encoded
    if (inDatabase === '__proto__') Object.defineProperty(object, inDatabase, { value, enumerable: true })
    else object[inDatabase] = value
  }
  return object
}

/**
 * The rows of a query by way of an array: the planner expects ten rows of an array that it does not know. Of a JSON
 * function it expects 100, for which it would read a table of some ten thousand rows from end to end, where a few index
 * look-ups do.
 */
function asTenRows(query: Sql): Sql {
  return sql`unnest(array(${query}))`
}
