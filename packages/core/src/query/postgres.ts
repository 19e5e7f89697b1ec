import { sql } from 'kysely'
import { ABSENT, type Dialect } from './dialect.ts'
import { column, constant, join, type Sql, type Table } from './sql-text.ts'

export const postgres: Dialect = {
  begin: 'begin',
  locksRows: true,

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
  id: (parameter) => sql`${parameter}::bigint`,
  ids: (parameter) => sql`select value::bigint from jsonb_array_elements_text(${parameter}::jsonb)`,

  rows(parameter, { table, columns }) {
    const row = sql.id('crudrow')
    const selected = columns.map((one) => sql`${column('crudrecord', one.name)}`)
    return sql`(select ${row}, ${join(selected)} from jsonb_array_elements(${parameter}::jsonb) as ${row}, jsonb_populate_record(null::${table.sql}, ${row}) as ${sql.id('crudrecord')})`
  },
  encodeRows: (rows, { columns }) =>
    JSON.stringify(
      rows.map((row) =>
        Object.fromEntries(
          columns.flatMap((one, index) => (row[index] === ABSENT ? [] : [[one.inDatabase, row[index]]])),
        ),
      ),
    ),
  hasColumn: (alias, one) => sql`${column(alias, 'crudrow')} ? ${constant(one.inDatabase)}`,

  insertIds: sql`overriding system value`,
  newIds: (table, idColumn, count) =>
    sql`select nextval(${sequenceOf(table, idColumn)}) as id from generate_series(1, ${count}::int)`,
  sequences: undefined,
  skipId(table, idColumn, id) {
    const sequence = sql`${sequenceOf(table, idColumn)}::regclass`
    return sql`select setval(${sequence}, greatest(${id}::bigint, coalesce(pg_sequence_last_value(${sequence}), 0)))`
  },
}

function sequenceOf(table: Table, idColumn: string): Sql {
  return sql`pg_get_serial_sequence(${constant(table.text)}, ${constant(idColumn)})`
}
