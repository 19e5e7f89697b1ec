import { sql } from 'kysely'
import { EVERYTHING } from '../../asking/condition.ts'
import type { GroupKey } from '../../asking/groups/aggregate.ts'
import { valueColumn } from '../../asking/groups/aggregate.ts'
import type { GroupQuery } from '../../asking/groups/group-query.ts'
import { type GroupValue, idsComparedWith, type Operand } from '../../asking/operand.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { Relation } from '../../model/model.ts'
import { isForeignKey } from '../../model/model.ts'
import type { DescribedValue } from '../../model/values/field-problems.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { comparedType, shownType, typeOfAggregate, typeOfEnd } from '../filters/compared-type.ts'
import { filterSql, heldBy, isPresent, valueSql } from '../filters/filter-sql.ts'
import { ownersExist } from '../rows/path-condition.ts'
import { alongPath, leftJoinOf } from '../rows/related-rows.ts'
import { fieldValue } from '../text/field-column.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { jsonIdOrNull, jsonObject } from './json-text.ts'
import { ALIAS, countSql, listedRows, rowsJson } from './listed-rows.ts'
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

const ROWS = 'crud_rows'

/** How many rows the group has. */
const COUNTED_ROWS = 'crud_counted_rows'

/**
 * One row for each group, with a column for each key and each value, and {@link COUNTED_ROWS}. No more rows are read
 * than the slot `groupRows` says, and one.
 */
function groupsOf(context: QueryContext, path: CollectionPath, query: GroupQuery): Sql {
  const { values } = context.dialect
  const { keys, values: aggregates, condition } = query
  const { source, atPath, filter } = listedRows(context, path, condition)
  const records = new JoinedRecords(context)
  const columns = [
    ...keys.flatMap((key, index) => [
      sql`${keyValue(context, records, key)} as ${sql.id(`shown${index}`)}`,
      sql`${equalKey(context, records, key, query)} as ${sql.id(`equal${index}`)}`,
    ]),
    ...aggregates.flatMap((aggregate, index) =>
      aggregate.operand === undefined
        ? []
        : [sql`${argumentOf(context, records, aggregate)} as ${sql.id(valueColumn(index))}`],
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
  if (part !== undefined || idsComparedWith(operand) !== undefined) return false
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
function equalKey(context: QueryContext, records: JoinedRecords, key: GroupKey, { timeZone }: GroupQuery): Sql {
  const { relations, operand, part } = key
  if (part === undefined) return records.valueAt(relations, ALIAS, (far) => equalValue(context, operand, far))
  const zone = timeZone === undefined ? undefined : slot('timeZone')
  return context.dialect.values.datePart(keyValue(context, records, key), shownType(context, operand), part, zone)
}

/** A value, so that two that mean the same are equal. */
function equalValue(context: QueryContext, operand: Operand, alias: string): Sql {
  const ids = idsComparedWith(operand)
  if (ids !== undefined) return singleId(idSqlOf(context, ids.of, ids.form), heldBy(context, operand, alias))
  const value = valueSql(context, operand, alias)
  return operand.kind === 'json'
    ? value
    : context.dialect.values.equal(value, comparedType(context, operand), context.comparing.printsIso)
}

/** An id as one value: of several parts, its text. */
function singleId({ text }: IdSql, id: Sql): Sql {
  return partsOf(id).length === 1 ? id : text(id)
}

/** What an aggregate takes of each row. */
function argumentOf(context: QueryContext, records: JoinedRecords, { word, relations, operand }: GroupValue): Sql {
  return records.valueAt(relations, ALIAS, (far) => {
    if (operand === undefined) throw new Error('count() takes nothing of a row')
    switch (word) {
      case 'count':
        return sql`case when ${isPresent(context, operand, far)} then 1 end`
      case 'countDistinct':
        return equalValue(context, operand, far)
      default:
        return shownValue(context, operand, far)
    }
  })
}

function aggregated(context: QueryContext, { word, operand }: GroupValue, name: string): Sql {
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

/** The column that has the key with that index. */
function keyColumn(index: number): string {
  return `key${index}`
}

/** The aliases of rows are numbered. Those that a value is made of come behind its own: see `inside`. */
const FIRST = 100
const APART = 20

/**
 * The records that the rows of a query name, each joined once. A query that reads many rows reads all of these
 * together. A subquery would look up each record by itself.
 */
class JoinedRecords {
  readonly #context: QueryContext
  readonly #aliases = new Map<string, Map<Relation, string>>()
  readonly #joins: Sql[] = []

  constructor(context: QueryContext) {
    this.#context = context
  }

  /** What stands between the rows and their conditions: complete when all values have been asked for. */
  get joins(): readonly Sql[] {
    return this.#joins
  }

  /** A value of the record at the end of a path, each relation of which leads to one record at most; null if there is
   * no such record. */
  valueAt(relations: readonly Relation[], alias: string, value: (alias: string) => Sql): Sql {
    const [first, ...others] = relations
    const far = first && this.#joined(first, alias)
    if (far === undefined) return alongPath(this.#context, relations, alias, value)
    return this.valueAt(others, far, value)
  }

  #joined(relation: Relation, alias: string): string | undefined {
    const ofRow = this.#aliases.get(alias) ?? new Map<Relation, string>()
    const known = ofRow.get(relation)
    if (known !== undefined) return known
    const far = `t${FIRST + APART * this.#joins.length}`
    const join = leftJoinOf(this.#context, relation, alias, far)
    if (join === undefined) return undefined
    this.#aliases.set(alias, ofRow.set(relation, far))
    this.#joins.push(join)
    return far
  }
}
