import { sql } from 'kysely'
import type { CollectionPath } from '../../model/collection-path.ts'
import { isForeignKey } from '../../model/model.ts'
import type { DescribedValue } from '../../model/values/described-value.ts'
import type { Comparing } from '../../reading/comparing.ts'
import { EVERYTHING } from '../../reading/condition.ts'
import { valueColumn } from '../../reading/groups/aggregate.ts'
import type { GroupKey } from '../../reading/groups/group-key.ts'
import type { GroupQuery } from '../../reading/groups/group-query.ts'
import type { Aggregate } from '../../reading/operand.ts'
import { idsOf, type Operand } from '../../reading/operand.ts'
import type { QueryContext } from '../context.ts'
import { comparedType, shownType, typeOfAggregate, typeOfEnd } from '../filters/compared-type.ts'
import { filterSql, heldBy, isPresent, valueSql } from '../filters/filter-sql.ts'
import { ownersExist } from '../rows/path-condition.ts'
import { fieldValue } from '../text/field-column.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, type Sql, slot } from '../text/sql-text.ts'
import { answerQuery } from './answer-size.ts'
import { countOf, rowsJson } from './counted-rows.ts'
import { JoinedRecords } from './joined-records.ts'
import { jsonIdOrNull, jsonObject } from './json-text.ts'
import { ALIAS, listedRows } from './page-rows.ts'

/** Stands for an answer for which more rows would have to be read than the slot `groupRows` says. */
export const TOO_MANY_ROWS = 'too many rows'

const ROWS = 'crud_rows'
const GROUPS = 'crud_groups'
const GROUPED = 'crud_grouped'

/**
 * Groups of the rows of a path, and how many groups there are, as JSON text `{"rows":[…],"count":n}` in the column `json` (slots `limit`,
 * `offset`, `most`, `groupRows`, `timeZone`, and those of the filters). The column is null if one of the owners does not exist, and
 * {@link TOO_MANY_ROWS}.
 */
export function groupsQuery(
  context: QueryContext,
  path: CollectionPath,
  query: GroupQuery,
  comparing: Comparing,
): Prepared {
  const { db, dialect } = context
  const groups = sql`with ${sql.id(GROUPS)} as materialized (${groupsOf(context, path, query, comparing)})`
  const having =
    query.having === EVERYTHING ? sql`` : sql` where ${filterSql(context, query.having, GROUPED, comparing, HAVING)}`
  const from = sql`from ${sql.id(GROUPS)} as ${sql.id(GROUPED)}${having}`
  const order = join(orderOf(context, query, comparing))
  const page = sql`select * ${from} order by ${order} limit ${dialect.quantity(slot('limit'))} offset ${dialect.quantity(slot('offset'))}`
  const rows = sql`(select ${rowsJson(groupJson(context, query))} from (${page}) as ${sql.id(GROUPED)})`
  const json = sql`'{"rows":' || ${rows} || ${countOf(context, from, query.count)} || '}'`
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

const COUNTED_ROWS = 'crud_counted_rows'

/** One row for each group, with a column for each key and each value. */
function groupsOf(context: QueryContext, path: CollectionPath, query: GroupQuery, comparing: Comparing): Sql {
  const { values } = context.dialect
  const { keys, values: aggregates, condition } = query
  const { source, atPath, filter } = listedRows(context, path, condition, comparing)
  const records = new JoinedRecords(context)
  const columns = [
    ...keys.flatMap((key, index) => [
      sql`${keyValue(context, records, key)} as ${sql.id(`shown${index}`)}`,
      sql`${equalKey(context, records, key, query, comparing)} as ${sql.id(`equal${index}`)}`,
    ]),
    ...aggregates.flatMap((aggregate, index) =>
      aggregate.operand === undefined
        ? []
        : [sql`${argumentOf(context, records, aggregate, comparing)} as ${sql.id(valueColumn(index))}`],
    ),
  ]
  const selected = columns.length === 0 ? sql`1` : join(columns)
  const most = context.dialect.quantity(slot('groupRows'))
  const rows = sql`(select ${selected} ${source.fromWith(records.joins, ...atPath, ...filter)} limit ${most} + 1) as ${sql.id(ROWS)}`
  const shown = [
    sql`count(*) as ${sql.id(COUNTED_ROWS)}`,
    ...keys.map((key, index) => {
      const value = hasSpellings(context, key)
        ? values.smallest(column(ROWS, `shown${index}`), shownType(context, key.operand))
        : column(ROWS, `equal${index}`)
      return sql`${value} as ${sql.id(keyColumn(index))}`
    }),
    ...aggregates.map((aggregate, index) => {
      const column = valueColumn(index)
      return sql`${aggregated(context, aggregate, column)} as ${sql.id(column)}`
    }),
  ]
  const by = keys.map((_, index) => column(ROWS, `equal${index}`))
  return sql`select ${join(shown)} from ${rows}${by.length === 0 ? sql`` : sql` group by ${join(by)}`}`
}

/** Whether what rows of one group have in common may look different in each of them. */
function hasSpellings(context: QueryContext, { operand, part }: GroupKey): boolean {
  if (part !== undefined || idsOf(operand) !== undefined) return false
  const type = comparedType(context, operand)
  return shownType(context, operand) !== type || !context.dialect.values.hasOneSpelling(type)
}

/** A value as answers show it, in the row of an alias. */
function shownValue(context: QueryContext, operand: Operand, alias: string): Sql {
  if (operand.kind === 'member' && operand.member.kind === 'field') return fieldValue(context, operand.member, alias)
  return valueSql(context, operand, alias)
}

/** The value of a key as it is shown. */
function keyValue(context: QueryContext, records: JoinedRecords, { relations, operand }: GroupKey): Sql {
  return records.valueAt(relations, ALIAS, (far) => shownValue(context, operand, far))
}

/** What rows of one group have in common. */
function equalKey(
  context: QueryContext,
  records: JoinedRecords,
  key: GroupKey,
  { timeZone }: GroupQuery,
  comparing: Comparing,
): Sql {
  const { relations, operand, part } = key
  if (part === undefined)
    return records.valueAt(relations, ALIAS, (far) => equalValue(context, operand, far, comparing))
  const zone = timeZone === undefined ? undefined : slot('timeZone')
  return context.dialect.values.datePart(keyValue(context, records, key), shownType(context, operand), part, zone)
}

/** A value, so that two that mean the same are equal. */
function equalValue(context: QueryContext, operand: Operand, alias: string, { printsIso }: Comparing): Sql {
  if (idsOf(operand) !== undefined) return heldBy(context, operand, alias)
  const value = valueSql(context, operand, alias)
  return operand.kind === 'json'
    ? value
    : context.dialect.values.equal(value, comparedType(context, operand), printsIso)
}

/** What an aggregate takes of each row. */
function argumentOf(
  context: QueryContext,
  records: JoinedRecords,
  { word, relations, operand }: Aggregate,
  comparing: Comparing,
): Sql {
  return records.valueAt(relations, ALIAS, (far) => {
    if (operand === undefined) throw new Error('count() takes nothing of a row')
    switch (word) {
      case 'count':
        return sql`case when ${isPresent(context, operand, far)} then 1 end`
      case 'countDistinct':
        return equalValue(context, operand, far, comparing)
      default:
        return shownValue(context, operand, far)
    }
  })
}

function aggregated(context: QueryContext, { word, operand }: Aggregate, name: string): Sql {
  if (operand === undefined) return sql`count(*)`
  const { values } = context.dialect
  const value = column(ROWS, name)
  const type = shownType(context, operand)
  switch (word) {
    case 'count':
      return sql`count(${value})`
    case 'countDistinct':
      return sql`count(distinct ${value})`
    case 'sum':
      return values.total(value, type)
    case 'avg':
      return values.average(value, type)
    case 'min':
      return values.end(value, type, 'first')
    case 'max':
      return values.end(value, type, 'last')
  }
}

/** As the query says, and then by all keys: no two groups are equal in these. */
function orderOf(context: QueryContext, { keys, values, sort }: GroupQuery, { printsIso }: Comparing): readonly Sql[] {
  const { ordered } = context.dialect.values
  const ofKey = (index: number): Sql => {
    const { operand, part } = keys[index] as GroupKey
    const value = column(GROUPED, keyColumn(index))
    const ids = idsOf(operand)
    if (ids !== undefined) return idSqlOf(context, ids.of, ids.form).orderAsCompared(value)
    return ordered(value, part === undefined ? typeOfEnd(context, operand) : 'string', printsIso)
  }
  const ofValue = (index: number): Sql =>
    ordered(column(GROUPED, valueColumn(index)), typeOfAggregate(context, values[index] as Aggregate), printsIso)
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
  const ids = idsOf(operand)
  if (ids !== undefined) return jsonIdOrNull(idSqlOf(context, ids.of, ids.form), value)
  return context.dialect.jsonField(value, part === undefined ? describedBy(operand) : TEXT)
}

function aggregateJson({ dialect }: QueryContext, { word, operand, type }: Aggregate, value: Sql): Sql {
  if (operand === undefined || word === 'count' || word === 'countDistinct') return sql`cast(${value} as text)`
  if (word === 'min' || word === 'max') return dialect.jsonField(value, describedBy(operand))
  return dialect.jsonField(value, type === 'number' ? NUMBER : DECIMAL)
}

function keyColumn(index: number): string {
  return `key${index}`
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
