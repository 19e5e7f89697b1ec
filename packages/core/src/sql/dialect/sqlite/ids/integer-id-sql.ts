import { sql } from 'kysely'
import type { Id } from '../../../../model/ids/id-kind.ts'
import { constant } from '../../../text/sql-text.ts'
import type { AssignedIds, ColumnsOfId, IdSql } from '../../id-sql.ts'

/** Only an INTEGER PRIMARY KEY can be AUTOINCREMENT. */
const ID_AFFINITIES = Object.freeze(['integer'])

const FOREIGN_KEY_AFFINITIES = Object.freeze(['integer', 'numeric', 'none'])

const assigned: AssignedIds = Object.freeze<AssignedIds>({
  overriding: sql``,
  isReturned: true,
  // SQLite has one writer at a time, so all ids above the highest one are free until the transaction ends. As a string:
  // JavaScript would round a large number.
  reserve(table, idColumn, _, floor, hasSequences) {
    const highest = sql`(select coalesce(max(${sql.raw(`"${idColumn.replaceAll('"', '""')}"`)}), 0) from ${table.sql})`
    const given = sql`coalesce((select seq from sqlite_sequence where name = ${constant(table.inDatabase)}), 0)`
    const others = hasSequences ? sql`, ${given}` : sql``
    return sql`'"' || max(0, ${highest}${others}, cast(${floor} as integer)) || '"'`
  },
  toReserved: (highest, count) => Array.from({ length: count }, (_, index) => Number(highest) + 1 + index),
  floorAbove: (chosen) => Math.max(0, ...(chosen as number[])),
  // AUTOINCREMENT goes on above every id that a row ever had.
  skip: undefined,
  highest: (idColumn, rows) => sql`(select coalesce(max(${sql.id(idColumn)}), 0) ${rows.from()})`,
})

/** Integer ids on SQLite. */
export const integerIdSql: IdSql = Object.freeze<IdSql>({
  typed: (value) => value,
  inRow: (value) => value,
  list: (parameter) => sql`select value as ${sql.id('id')} from json_each(${parameter})`,
  encodeList: (ids) => JSON.stringify(ids),
  equalsByIndex: (column, id) => sql`${column} = ${id}`,
  // Without this, the planner does not use the index of a column that held nothing but NULL at the last ANALYZE.
  equalsInFewRows: (column, id) => sql`unlikely(${column} = ${id})`,
  order: (id) => id,
  orderAsCompared: (id) => id,
  orderWithoutIndex: (id) => id,
  last: (id) => sql`max(${id})`,
  // A column of SQLite may hold any text, which must not become a part of the JSON around it.
  json: (id) => sql`cast(${id} as integer)`,
  jsonText: (id) => sql`cast(cast(${id} as integer) as text)`,
  text: (id) => sql`cast(${id} as text)`,
  fromText: Number,
  columns: Object.freeze<ColumnsOfId>({
    type: 'integer',
    define: (column, { assignedBy }) => (assignedBy === 'database' ? column.autoIncrement() : column),
    isInEveryIndex: true,
    fits: Object.freeze({ id: ID_AFFINITIES, foreignKey: FOREIGN_KEY_AFFINITIES }),
  }),
  assigned,
})

/** The same, as strings of digits. Drivers round large integers, so none passes through them as a number. */
export const bigintIdSql: IdSql = Object.freeze<IdSql>({
  ...integerIdSql,
  typed: (value) => sql`cast(${value} as integer)`,
  inRow: (value) => sql`cast(${value} as integer)`,
  list: (parameter) => sql`select cast(value as integer) as ${sql.id('id')} from json_each(${parameter})`,
  json: (id) => sql`('"' || cast(${id} as integer) || '"')`,
  jsonText: (id) => sql`('"' || cast(${id} as integer) || '"')`,
  fromText: (text) => text,
  assigned: Object.freeze<AssignedIds>({
    ...assigned,
    isReturned: false,
    toReserved: (highest, count) =>
      Array.from({ length: count }, (_, index) => String(BigInt(highest as string) + BigInt(index + 1))),
    floorAbove: (chosen: readonly Id[]) =>
      String(chosen.reduce((highest, id) => (BigInt(id) > highest ? BigInt(id) : highest), 0n)),
  }),
})
