import { sql } from 'kysely'
import { constant } from '../../text/sql-text.ts'
import type { AssignedIds, IdSql } from '../id-sql.ts'
import { assignedIntegers, integerIdSql } from '../integer-id-sql.ts'

/** Only an INTEGER PRIMARY KEY can be AUTOINCREMENT. */
const ID_AFFINITIES = Object.freeze(['integer'])

const FOREIGN_KEY_AFFINITIES = Object.freeze(['integer', 'numeric', 'none'])

/** Integer ids on SQLite. */
export const sqliteIntegerIdSql: IdSql = Object.freeze<IdSql>({
  ...integerIdSql,
  // A column of SQLite may hold any text, which must not become a part of the JSON around it.
  json: (id) => sql`cast(${id} as integer)`,
  jsonText: (id) => sql`cast(cast(${id} as integer) as text)`,
  typed: (value) => value,
  list: (parameter) => sql`select value as ${sql.id('id')} from json_each(${parameter})`,
  encodeList: (ids) => JSON.stringify(ids),
  equalsByIndex: (column, id) => sql`${column} = ${id}`,
  // Without this, the planner does not use the index of a column that held nothing but NULL at the last ANALYZE.
  equalsInFewRows: (column, id) => sql`unlikely(${column} = ${id})`,
  orderWithoutIndex: (id) => id,
  columns: Object.freeze({
    type: 'integer',
    isInEveryIndex: true,
    fits: Object.freeze({ id: ID_AFFINITIES, foreignKey: FOREIGN_KEY_AFFINITIES }),
  }),
  assigned: Object.freeze<AssignedIds>({
    ...assignedIntegers,
    define: (column) => column.autoIncrement(),
    overriding: sql``,
    // SQLite has one writer at a time, so all ids above the highest one are free until the transaction ends.
    reserve(table, idColumn, _, floor, hasSequences) {
      const highest = sql`(select coalesce(max(${sql.raw(`"${idColumn.replaceAll('"', '""')}"`)}), 0) from ${table.sql})`
      const given = sql`coalesce((select seq from sqlite_sequence where name = ${constant(table.inDatabase)}), 0)`
      return hasSequences ? sql`max(${highest}, ${given}, ${floor})` : sql`max(${highest}, ${floor})`
    },
    toReserved: (highest, count) => Array.from({ length: count }, (_, index) => Number(highest) + 1 + index),
    // AUTOINCREMENT goes on above every id that a row ever had.
    skip: undefined,
  }),
})
