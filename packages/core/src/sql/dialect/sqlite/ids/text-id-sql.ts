import { sql } from 'kysely'
import type { Sql } from '../../../text/sql-text.ts'
import type { IdColumns, IdSql } from '../../id-sql.ts'
import { integerIdSql } from './integer-id-sql.ts'

const TEXT_AFFINITIES = Object.freeze(['text', 'none'])

/** A column of the type `uuid` has the affinity NUMERIC. It keeps a UUID with hyphens, because that is not spelled like a number. */
export const HYPHENATED_AFFINITIES = Object.freeze([...TEXT_AFFINITIES, 'numeric'])

/** Text ids on SQLite. */
export const textIdSql: IdSql = Object.freeze<IdSql>({
  ...integerIdSql,
  list: (parameter) => sql`select value as ${sql.id('id')} from json_each(${parameter})`,
  orderAsCompared: (id) => sql`${id} collate binary`,
  orderWithoutIndex: (id) => sql`${id} collate binary`,
  // JSON has no blob, which a column of SQLite may hold nevertheless.
  json: (id) => sql`json_quote(cast(${id} as text))`,
  jsonText: (id) => sql`case when ${id} is not null then json_quote(cast(${id} as text)) end`,
  fromText: (text) => text,
  columns: Object.freeze<IdColumns>({
    type: 'text',
    define: (column) => column.notNull(),
    fits: Object.freeze({ id: TEXT_AFFINITIES, foreignKey: TEXT_AFFINITIES }),
  }),
  assigned: undefined,
})

/** UUIDs in text columns, which spell them in one of several ways. `shown` gives the one of JSON. */
export function uuidTextSql(
  stored: (id: Sql) => Sql,
  shown: (id: Sql) => Sql,
  generated: Sql,
  affinities: readonly string[] = TEXT_AFFINITIES,
): IdSql {
  const json = (id: Sql) => sql`json_quote(${shown(sql`cast(${id} as text)`)})`
  return Object.freeze<IdSql>({
    ...textIdSql,
    typed: stored,
    inRow: stored,
    list: (parameter) => sql`select ${stored(sql`value`)} as ${sql.id('id')} from json_each(${parameter})`,
    json,
    jsonText: (id) => sql`case when ${id} is not null then ${json(id)} end`,
    text: shown,
    columns: Object.freeze<IdColumns>({
      ...textIdSql.columns,
      fits: Object.freeze({ id: affinities, foreignKey: affinities }),
      define: (column, { assignedBy }) =>
        assignedBy === 'database' ? column.notNull().defaultTo(generated) : column.notNull(),
    }),
  })
}
