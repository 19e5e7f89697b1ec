import { sql } from 'kysely'
import { EVERYTHING } from '../../asking/condition.ts'
import type { GroupKey } from '../../asking/groups/aggregate.ts'
import { valueColumn } from '../../asking/groups/aggregate.ts'
import type { GroupQuery } from '../../asking/groups/group-query.ts'
import { type GroupValue, idsComparedWith, type Operand } from '../../asking/operand.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import { isForeignKey } from '../../model/model.ts'
import type { DescribedValue } from '../../model/values/field-problems.ts'
import type { QueryContext } from '../context.ts'
import { typeOfAggregate, typeOfEnd } from '../filters/compared-type.ts'
import { filterSql } from '../filters/filter-sql.ts'
import { ownersExist } from '../rows/path-condition.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, type Sql, slot } from '../text/sql-text.ts'
import { COUNTED_ROWS, groupsOf, keyColumn } from './group-rows.ts'
import { jsonIdOrNull, jsonObject } from './json-text.ts'
import { countSql, rowsJson } from './listed-rows.ts'
import { answerQuery } from './summary-size.ts'

/** Stands for an answer for which more rows would have to be read than the slot `groupRows` says. */
export const TOO_MANY_ROWS = 'too many rows'

const GROUPS = 'crud_groups'
const GROUPED = 'crud_grouped'

/**
 * Groups of the rows of a path, and how many groups there are, as JSON text `{"rows":[…],"count":n}` in the column
 * `json` (slots `limit`, `offset`, `most`, `groupRows`, `timeZone`, and those of the filters). The column is null if
 * one of the owners does not exist, and {@link TOO_MANY_ROWS}.
 */
export function groupsQuery(context: QueryContext, path: CollectionPath, query: GroupQuery): Prepared {
  const { db, dialect } = context
  const groups = sql`with ${sql.id(GROUPS)} as materialized (${groupsOf(context, path, query)})`
  const having = query.having === EVERYTHING ? sql`` : sql` where ${filterSql(context, query.having, GROUPED, HAVING)}`
  const from = sql`from ${sql.id(GROUPS)} as ${sql.id(GROUPED)}${having}`
  const order = join(orderOf(context, query))
  const page = sql`select * ${from} order by ${order} limit ${dialect.quantity(slot('limit'))} offset ${dialect.quantity(slot('offset'))}`
  const rows = sql`(select ${rowsJson(groupJson(context, query))} from (${page}) as ${sql.id(GROUPED)})`
  const json = sql`'{"rows":' || ${rows} || ${countSql(context, from, query.count)} || '}'`
  const isTooMuch = sql`(select sum(${sql.id(COUNTED_ROWS)}) from ${sql.id(GROUPS)}) > ${dialect.quantity(slot('groupRows'))}`
  const refusals = [
    ...(path.relations.length === 0 ? [] : [sql`when not (${ownersExist(context, path)}) then null`]),
    sql`when ${isTooMuch} then ${constant(TOO_MANY_ROWS)}`,
  ]
  const answer = sql`(${groups} select case ${join(refusals, sql` `)} else ${json} end)`
  return prepare(db, answerQuery(context, answer, undefined))
}

/** The slots of `having` begin with it. */
export const HAVING = 'having'

/** As the query says, and then by all keys: no two groups are equal in these. */
function orderOf(context: QueryContext, { keys, values, sort }: GroupQuery): readonly Sql[] {
  const { ordered } = context.dialect.values
  const { printsIso } = context.comparing
  const ofKey = (index: number): Sql => {
    const { operand, part } = keys[index] as GroupKey
    const value = column(GROUPED, keyColumn(index))
    const ids = idsComparedWith(operand)
    if (ids !== undefined) return idSqlOf(context, ids.of, ids.form).orderAsCompared(value)
    return ordered(value, part === undefined ? typeOfEnd(context, operand) : 'string', printsIso)
  }
  const ofValue = (index: number): Sql =>
    ordered(column(GROUPED, valueColumn(index)), typeOfAggregate(context, values[index] as GroupValue), printsIso)
  const named = sort.map(({ by, index, isDescending }) => {
    const value = by === 'key' ? ofKey(index) : ofValue(index)
    return sql`${value}${isDescending ? sql` desc` : sql``} nulls last`
  })
  const others = keys.flatMap((_, index) =>
    sort.some((one) => one.by === 'key' && one.index === index) ? [] : [sql`${ofKey(index)} nulls last`],
  )
  const order = [...named, ...others]
  // The one group of all.
  return order.length === 0 ? [sql`1`] : order
}

function groupJson(context: QueryContext, { keys, values }: GroupQuery): Sql {
  return jsonObject([
    ...keys.map((key, index): [string, Sql] => [key.name, keyJson(context, key, column(GROUPED, keyColumn(index)))]),
    ...values.map((value, index): [string, Sql] => [
      value.name,
      aggregateJson(context, value, column(GROUPED, valueColumn(index))),
    ]),
  ])
}

function keyJson(context: QueryContext, { operand, part }: GroupKey, value: Sql): Sql {
  const ids = idsComparedWith(operand)
  if (ids !== undefined) return jsonIdOrNull(idSqlOf(context, ids.of, ids.form), value)
  return context.dialect.jsonField(value, part === undefined ? describedBy(operand) : TEXT)
}

function aggregateJson({ dialect }: QueryContext, { word, operand, type }: GroupValue, value: Sql): Sql {
  if (operand === undefined || word === 'count' || word === 'countDistinct') return sql`cast(${value} as text)`
  if (word === 'min' || word === 'max') return dialect.jsonField(value, describedBy(operand))
  return dialect.jsonField(value, type === 'number' ? NUMBER : DECIMAL)
}

type Described = Pick<DescribedValue, 'storage' | 'schema'>

const TEXT: Described = { storage: 'string', schema: { type: 'string' } }
const NUMBER: Described = { storage: 'number', schema: { type: 'number' } }
const DECIMAL: Described = { storage: 'string', schema: { type: 'string', format: 'decimal' } }

/** What a value is in JSON. */
function describedBy(operand: Operand): Described {
  if (operand.kind === 'member' && !isForeignKey(operand.member)) return operand.member
  const { type } = operand
  return type === 'integer' || type === 'number' || type === 'boolean' ? { storage: type, schema: { type } } : TEXT
}
