import { sql } from 'kysely'
import type { Sql } from '../../../text/sql-text.ts'
import type { IdSql } from '../../id-sql.ts'
import { typeOf } from '../type-of.ts'
import { isMoment, utcText } from '../utc-text.ts'
import { textIdSql } from './text-id-sql.ts'

/** A `char(n)` has spaces at the end, which are no part of its values, and which its cast leaves out. */
const isPadded = (id: Sql) => sql`${typeOf(id)} = 'bpchar'::regtype`

const text = (id: Sql) =>
  sql`case when ${isMoment(id)} then ${utcText(id)} when ${isPadded(id)} then (${id})::text else to_json(${id}) #>> '{}' end`
const json = (id: Sql) => sql`to_json(${text(id)})::text`

/** Values of fields as ids on PostgreSQL: texts, dates and moments, in columns of any type, as answers spell them. */
export const valueIdSql: IdSql = Object.freeze<IdSql>({
  ...textIdSql,
  text,
  json,
  jsonText: json,
  orderAsCompared: (id) => sql`(${text(id)}) collate "C"`,
  orderWithoutIndex: (id) => sql`(${text(id)}) collate "C"`,
})
