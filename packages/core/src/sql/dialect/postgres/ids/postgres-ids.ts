import { sql } from 'kysely'
import type { IdStorage } from '../../../../model/ids/id-kind.ts'
import type { Sql } from '../../../text/sql-text.ts'
import type { ColumnsOfId, IdSql } from '../../id-sql.ts'
import { isMoment, isTimeWithZone, timeText, utcText } from '../postgres-texts.ts'
import { hideFromPlanner, typeOf } from '../type-of.ts'
import { bigintIdSqlOn, type CountingFacts, EXPENSIVE_TRUE, integerIdSqlOn } from './integer-id-sql.ts'

/** The least UUID. */
const NIL = '00000000-0000-0000-0000-000000000000'

const TEXT_TYPES = Object.freeze(['text', 'varchar', 'bpchar'])

/** Text ids on PostgreSQL. A parameter takes the type of the column beside it: `text`, `varchar` or `char`. */
const textIdSql: IdSql = Object.freeze<IdSql>({
  typed: (value) => value,
  inRow: (value) => value,
  list: (parameter) => sql`select unnest(${hideFromPlanner(sql`${parameter}::text[]`)}) as ${sql.id('id')}`,
  encodeList: (ids) => `{${ids.map((id) => `"${String(id).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
  // For the reasons of these three, see the integer ids.
  equalsByIndex: (column, id) => sql`${column} = ${id} and (${column} > '' or ${EXPENSIVE_TRUE})`,
  equalsInFewRows: (column, id) => sql`${column} = ${id} and ${column} || '' = ${id}`,
  order: (id) => id,
  orderAsCompared: (id) => sql`(${id})::text collate "C"`,
  orderWithoutIndex: (id) => sql`(${id} || '') collate "C"`,
  last: (id) => sql`max(${id})`,
  json: (id) => sql`to_json((${id})::text)::text`,
  jsonText: (id) => sql`to_json((${id})::text)::text`,
  text: (id) => sql`(${id})::text`,
  fromText: (text) => text,
  columns: Object.freeze<ColumnsOfId>({
    type: 'text',
    define: (column) => column,
    fits: Object.freeze({ id: TEXT_TYPES, foreignKey: TEXT_TYPES }),
  }),
  assigned: undefined,
})

/** UUIDs in text columns, which spell them in one of several ways. `shown` gives the one of JSON. */
function uuidTextSql(stored: (id: Sql) => Sql, shown: (id: Sql) => Sql): IdSql {
  const inText = (id: Sql) => shown(sql`(${id})::text`)
  const json = (id: Sql) => sql`('"' || ${inText(id)} || '"')`
  return Object.freeze<IdSql>({
    ...textIdSql,
    typed: stored,
    inRow: stored,
    list: (parameter) =>
      sql`select ${stored(sql`given`)} as ${sql.id('id')} from unnest(${hideFromPlanner(sql`${parameter}::text[]`)}) as ${sql.id('crud_ids')}(given)`,
    json,
    jsonText: json,
    text: inText,
    columns: Object.freeze<ColumnsOfId>({
      ...textIdSql.columns,
      define: (column, { assignedBy }) =>
        assignedBy === 'database' ? column.defaultTo(stored(sql`gen_random_uuid()::text`)) : column,
    }),
  })
}

/** UUIDs on PostgreSQL, in its own type. */
const uuidIdSql: IdSql = Object.freeze<IdSql>({
  ...textIdSql,
  typed: (value) => sql`${value}::uuid`,
  list: (parameter) => sql`select unnest(${hideFromPlanner(sql`${parameter}::uuid[]`)}) as ${sql.id('id')}`,
  encodeList: (ids) => `{${ids.join(',')}}`,
  equalsByIndex: (column, id) => sql`${column} = ${id} and (${column} > '${sql.raw(NIL)}' or ${EXPENSIVE_TRUE})`,
  equalsInFewRows: (column, id) => sql`${column} = ${id} and ${column}::text = ${id}::text`,
  orderAsCompared: (id) => id,
  orderWithoutIndex: (id) => sql`${id}::text collate "C"`,
  // PostgreSQL has no max(uuid) before version 18. The texts have the same order. An aggregate with an order would sort
  // the rows for the aggregates beside it, too.
  last: (id) => sql`max(${id}::text collate "C")`,
  json: (id) => sql`('"' || ${id}::text || '"')`,
  jsonText: (id) => sql`('"' || ${id}::text || '"')`,
  text: (id) => sql`${id}::text`,
  columns: Object.freeze<ColumnsOfId>({
    type: 'uuid',
    define: (column, { assignedBy }) => (assignedBy === 'database' ? column.defaultTo(sql`gen_random_uuid()`) : column),
    fits: Object.freeze({ id: Object.freeze(['uuid']), foreignKey: Object.freeze(['uuid']) }),
  }),
})

/** A `char(n)` has spaces at the end, which are no part of its values, and which its cast leaves out. */
const isPadded = (id: Sql) => sql`${typeOf(id)} = 'bpchar'::regtype`

const text = (id: Sql) =>
  sql`case when ${isMoment(id)} then ${utcText(id)} when ${isTimeWithZone(id)} then ${timeText(id)} when ${isPadded(id)} then (${id})::text else to_json(${id}) #>> '{}' end`
const json = (id: Sql) => sql`to_json(${text(id)})::text`

/** Values of fields as ids on PostgreSQL: texts, dates and moments, in columns of any type, as answers spell them. */
const valueIdSql: IdSql = Object.freeze<IdSql>({
  ...textIdSql,
  text,
  json,
  jsonText: json,
  orderAsCompared: (id) => sql`(${text(id)}) collate "C"`,
  orderWithoutIndex: (id) => sql`(${text(id)}) collate "C"`,
})

/** How ids stand in the SQL of PostgreSQL, and of engines that may lack what counts them. */
export const postgresIdsOn = (facts: CountingFacts): Readonly<Record<IdStorage, IdSql>> =>
  Object.freeze({
    integer: integerIdSqlOn(facts),
    bigint: bigintIdSqlOn(facts),
    text: textIdSql,
    value: valueIdSql,
    uuid: uuidIdSql,
    'uuid, lower': uuidTextSql(
      (id) => id,
      (id) => id,
    ),
    'uuid, upper': uuidTextSql(
      (id) => sql`upper(${id})`,
      (id) => sql`lower(${id})`,
    ),
    'uuid, hex': uuidTextSql(
      (id) => sql`replace(${id}, '-', '')`,
      (id) => sql`(${id})::uuid::text`,
    ),
  })

export const postgresIds = postgresIdsOn({ advisoryLocks: true, identityColumns: true })
