import { sql } from 'kysely'
import { column, constant, join, type Sql, type Table } from '../sql-text.ts'
import { ABSENT, CHANGED, type Dialect, type RowsColumn } from './dialect.ts'

/** True, and 100 times as dear as a comparison in the planner's eyes. */
const DEAR = sql`pg_catalog.to_tsvector('') is not null`

export const postgres: Dialect = {
  // What is read after the lock must be what is there then, whatever the database's default is.
  begin: 'begin isolation level read committed',
  locksRows: true,
  sendsAnswers: true,
  ahead: {
    failUnlessSame(query, json) {
      const found = sql`${sql.id('crud_found')}.json`
      // What does not depend on a row would be worked out, and fail, as the statement is planned.
      const fail = sql`cast(${constant(CHANGED)} || left(coalesce(${found}, ''), 0) as integer)`
      // With an offset it is planned by itself: beside what the JSON costs, to read a whole table for its row looks cheap.
      return sql`select case when ${found} is distinct from ${json}::text then ${fail} end as ${sql.id('same')} from (select) as ${sql.id('crud_one')} left join (${query} offset 0) as ${sql.id('crud_found')} on true`
    },
  },

  byteLength: (column) => sql`octet_length(${column}::text)`,
  jsonField(value, field) {
    switch (field.storage) {
      case 'string':
        // A string may be stored in a column of another type (numeric, uuid, an enum): it is what that prints. A moment
        // prints another way than JSON wants it.
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
      // Neither the column's type nor its collation may take two texts for one.
      case 'string':
      case 'date':
      case 'json':
        return sql`${postgres.jsonField(value, field)} is distinct from ${parameter}::text`
      // Who reads JSON has numbers of this size, whatever the column's.
      case 'integer':
      case 'number':
        return sql`${value}::text::float8 is distinct from ${parameter}::float8`
      case 'boolean':
        return sql`${value} is distinct from ${parameter}`
    }
  },
  compared: (bound, { storage }) => (storage === 'string' || storage === 'date' ? JSON.stringify(bound) : bound),
  id: (parameter) => sql`${parameter}::bigint`,
  // To work out what is never worked out seems so dear that the planner wants to do it for few rows.
  hasId: (column, id) => sql`${column} = ${id} and (${column} > 0 or ${DEAR})`,
  // The planner takes it that an expression equals something in one of 200 rows.
  fewHave: (column, id) => sql`${column} = ${id} and ${column} + 0 = ${id}`,
  lookUpForEach(rows, table, alias, condition) {
    const name = sql.id(alias)
    // A query with an offset is not made part of the one around it, so that there are no other ways to join them.
    return sql`${rows} cross join lateral (select ${name}.* from ${table.sql} as ${name} where ${condition} offset 0) as ${name}`
  },
  // No index has this order.
  sortKey: (id) => sql`${id} + 0`,
  page: ({ table, where, id, limit, offset }) =>
    sql`select * from ${table} where ${id} = any (array(select ${id} from ${table}${where} order by ${id} limit ${hidden(sql`${limit}::bigint`)} offset ${hidden(sql`${offset}::bigint`)})) order by ${id}`,
  ids: (parameter) => sql`select unnest(${hidden(sql`${parameter}::bigint[]`)}) as ${sql.id('id')}`,
  encodeIds: (ids) => `{${ids.join(',')}}`,

  // One parameter is as fast, and one statement for any number of rows.
  mostBoundInserts: 1,
  bound: (parameter) => parameter,
  bind: (value, { storage }) => (storage === 'json' && value !== null ? JSON.stringify(value) : value),
  rows(parameter, { table, columns }, use) {
    const [row, record] = [sql.id('crud_row'), sql.id('crud_record')]
    const selected = join(columns.map((one) => column('crud_record', one.name)))
    // As a type, a name such as "box" or "line" would be that of a type of PostgreSQL's own.
    const type = sql`(select ${sql.id('crud_type')} from ${table.sql} as ${sql.id('crud_type')} where false)`
    const json = sql`${parameter}::jsonb`
    const records = sql`jsonb_populate_recordset(${type}, ${json})`
    switch (use) {
      case 'inserted':
        return sql`(select ${selected} from ${records} as ${record})`
      case 'joined':
        return sql`(select ${selected} from ${ten(sql`select ${records}`)} as ${record})`
      case 'mixed': {
        const rows = ten(sql`select jsonb_array_elements(${json})`)
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
 * A parameter as a query, which says nothing of its value to the planner: where a value tells it that there is less to do than
 * it would guess, it plans the statement anew each time.
 */
function hidden(parameter: Sql): Sql {
  return sql`(select ${parameter})`
}

/**
 * The rows of a query as a function gives them: the planner takes ten, which is what it takes an array for that it does not
 * know. It takes a function of JSON for 100, and reads a table of some ten thousand rows from end to end where a few look-ups
 * in an index would do.
 */
function ten(query: Sql): Sql {
  return sql`unnest(array(${query}))`
}

/**
 * A sequence that is at most so far behind a chosen id catches up by `nextval`, which only goes forward: plain creates may take
 * the ids in between at the same moment. One that is further behind is set by `setval`, as each `nextval` costs 3 µs. `setval`
 * could take it back only if others took more ids than this between two expressions of one statement; their inserts would then
 * be tried again.
 */
const NEAR = 32

/** Any number will do that nobody else locks: "fcri" in ASCII. */
const SEQUENCE_LOCK = 0x66637269

function sequenceOf(table: Table, idColumn: string): Sql {
  return sql`pg_get_serial_sequence(${constant(table.text)}, ${constant(idColumn)})`
}
