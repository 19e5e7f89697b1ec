import { sql } from 'kysely'
import { column, constant, join, type Sql, type Table } from '../sql-text.ts'
import { ABSENT, CHANGED, type Dialect, type RowsColumn } from './dialect.ts'

/** True, and the planner takes it for 100 times the cost of a comparison. */
const EXPENSIVE_TRUE = sql`pg_catalog.to_tsvector('') is not null`

export const postgres: Dialect = {
  // A read behind the lock must see what the last writer left. Under a stricter default it would not.
  begin: 'begin isolation level read committed',
  locksRows: true,
  sendsAnswers: true,
  ahead: {
    failUnlessSame(query, json) {
      const found = sql`${sql.id('crud_found')}.json`
      // It depends on the row, because the planner computes a constant expression at once, and would fail.
      const fail = sql`cast(${constant(CHANGED)} || left(coalesce(${found}, ''), 0) as integer)`
      // The offset has the planner plan the inner query by itself. Beside the cost of its JSON, reading the whole table for one row
      // would look cheap.
      return sql`select case when ${found} is distinct from ${json}::text then ${fail} end as ${sql.id('same')} from (select) as ${sql.id('crud_one')} left join (${query} offset 0) as ${sql.id('crud_found')} on true`
    },
  },

  byteLength: (column) => sql`octet_length(${column}::text)`,
  jsonField(value, field) {
    switch (field.storage) {
      case 'string':
        // A string may be stored in a column of another type (numeric, uuid, an enum), and is what that type prints. Only a
        // timestamp prints otherwise than in JSON.
        if (field.schema.format !== 'date-time') return sql`coalesce(to_json(${value}::text)::text, 'null')`
        return sql`coalesce(to_json(${value})::text, 'null')`
      case 'date':
      case 'number':
        return sql`coalesce(to_json(${value})::text, 'null')`
      case 'integer':
      case 'boolean':
      case 'json':
        return sql`coalesce(${value}::text, 'null')`
    }
  },
  isDifferent(value, field, parameter) {
    switch (field.storage) {
      // As JSON text: the column's type or its collation may find two different texts equal.
      case 'string':
      case 'date':
      case 'json':
        return sql`${postgres.jsonField(value, field)} is distinct from ${parameter}::text`
      // As float8, the numbers that a reader of JSON has, whatever the type of the column.
      case 'integer':
      case 'number':
        return sql`${value}::text::float8 is distinct from ${parameter}::float8`
      case 'boolean':
        return sql`${value} is distinct from ${parameter}`
    }
  },
  compared: (bound, { storage }) => (storage === 'string' || storage === 'date' ? JSON.stringify(bound) : bound),
  id: (parameter) => sql`${parameter}::bigint`,
  // The planner would read a small table from end to end for each of many ids. This condition makes each row that it reads look
  // expensive, so it uses the index. As ids are above 0, the expensive half is never computed.
  equalsByIndex: (column, id) => sql`${column} = ${id} and (${column} > 0 or ${EXPENSIVE_TRUE})`,
  // The planner assumes that an expression equals a value in one of 200 rows. Without this, a record that owns others looks so
  // expensive that PostgreSQL compiles the statement (JIT) at each execution.
  equalsInFewRows: (column, id) => sql`${column} = ${id} and ${column} + 0 = ${id}`,
  joinRowByRow(rows, source, condition) {
    const { name } = source
    // The planner does not merge a query that has an offset into the one around it, so it has no other way to join them.
    return sql`${rows} cross join lateral (select ${name}.* ${source.from(condition)} offset 0) as ${name}`
  },
  // No index has this order. Where each row costs much, all ways to the rows look equally expensive to the planner. It would
  // take the one that needs no sorting: through the whole table, in the order of its ids.
  unindexed: (id) => sql`${id} + 0`,
  // For a page of unknown size the planner expects a tenth of the table, and the JSON of so many rows looks so expensive that
  // PostgreSQL compiles the statement (JIT). For an array of unknown size it expects ten rows.
  page({ source, conditions, id, order, limit, offset }) {
    const [most, first] = [hideFromPlanner(sql`${limit}::bigint`), hideFromPlanner(sql`${offset}::bigint`)]
    const by = join(order)
    const ids = sql`select ${id} ${source.from(...conditions)} order by ${by} limit ${most} offset ${first}`
    return sql`select * ${source.from(sql`${id} = any (array(${ids}))`)} order by ${by}`
  },
  ids: (parameter) => sql`select unnest(${hideFromPlanner(sql`${parameter}::bigint[]`)}) as ${sql.id('id')}`,
  encodeIds: (ids) => `{${ids.join(',')}}`,

  // One parameter is as fast, and needs only one statement for any number of rows.
  mostBoundInserts: 1,
  bound: (parameter) => parameter,
  bind: (value, { storage }) => (storage === 'json' && value !== null ? JSON.stringify(value) : value),
  rows(parameter, { table, columns }, use) {
    const [row, record] = [sql.id('crud_row'), sql.id('crud_record')]
    const selected = join(columns.map((one) => column('crud_record', one.name)))
    // The type of the table's rows. By its name, a table "box" or "line" would mean a type of PostgreSQL's own.
    const type = sql`(select ${sql.id('crud_type')} from ${table.sql} as ${sql.id('crud_type')} where false)`
    const json = sql`${parameter}::jsonb`
    const records = sql`jsonb_populate_recordset(${type}, ${json})`
    switch (use) {
      case 'inserted':
        return sql`(select ${selected} from ${records} as ${record})`
      case 'joined':
        return sql`(select ${selected} from ${asTenRows(sql`select ${records}`)} as ${record})`
      case 'mixed': {
        const rows = asTenRows(sql`select jsonb_array_elements(${json})`)
        return sql`(select ${row}, ${selected} from ${rows} as ${row}, jsonb_populate_record(${type}, ${row}) as ${record})`
      }
    }
  },
  encodeRows: (rows, { columns }) => JSON.stringify(rows.map((row) => toObject(row, columns))),
  hasColumn: (alias, one) => sql`${column(alias, 'crud_row')} ? ${constant(one.inDatabase)}`,

  insertIds: sql` overriding system value`,
  newIds: (table, idColumn, count) =>
    sql`(select '[' || string_agg(nextval(${sequenceOf(table, idColumn)})::text, ',') || ']' from generate_series(1, ${count}::int))`,
  sequences: undefined,
  skipId(table, idColumn, id) {
    const sequence = sql`${sequenceOf(table, idColumn)}::regclass`
    const start = sql`(select seqstart - 1 from pg_sequence where seqrelid = ${sequence})`
    const behind = sql`${id}::bigint - coalesce(pg_sequence_last_value(${sequence}), ${start})`
    const catchUp = sql`(select max(nextval(${sequence})) from generate_series(1, ${behind}))`
    const isNear = sql`${behind} <= ${sql.lit(NEAR)}`
    const lock = sql`pg_advisory_xact_lock(${sql.lit(SEQUENCE_LOCK)}, ${sequence}::oid::int)`
    return sql`select case when ${isNear} then ${catchUp} when ${lock} is null then null when ${isNear} then ${catchUp} else setval(${sequence}, ${id}::bigint) end`
  },
}

/** By columns; three times as fast as `Object.fromEntries`. */
function toObject(row: readonly unknown[], columns: readonly RowsColumn[]): object {
  const object: Record<string, unknown> = {}
  for (const [index, { inDatabase }] of columns.entries()) {
    const value = row[index]
    if (value === ABSENT) continue
    if (inDatabase === '__proto__') Object.defineProperty(object, inDatabase, { value, enumerable: true })
    else object[inDatabase] = value
  }
  return object
}

/**
 * A parameter as a subquery, so that the planner does not see its value. It would plan the statement again at each execution
 * if the value promised less work than it expects of an unknown one.
 */
function hideFromPlanner(parameter: Sql): Sql {
  return sql`(select ${parameter})`
}

/**
 * The rows of a query by way of an array: the planner expects ten rows of an array that it does not know. Of a JSON function it
 * expects 100, for which it would read a table of some ten thousand rows from end to end, where a few index look-ups do.
 */
function asTenRows(query: Sql): Sql {
  return sql`unnest(array(${query}))`
}

/**
 * A sequence that is at most so far behind a chosen id catches up by `nextval`, which only goes forward, so other creates can
 * take the ids in between at the same time. A sequence that is further behind is set by `setval`, because each `nextval` costs
 * 3 µs. `setval` could take it back only if others took more ids than this between two expressions of one statement. Their
 * inserts would then be tried again.
 */
const NEAR = 32

/** Any number will do that nobody else locks: "fcri" in ASCII. */
const SEQUENCE_LOCK = 0x66637269

function sequenceOf(table: Table, idColumn: string): Sql {
  return sql`pg_get_serial_sequence(${constant(table.text)}, ${constant(idColumn)})`
}
