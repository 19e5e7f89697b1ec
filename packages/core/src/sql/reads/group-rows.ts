import { sql } from 'kysely'
import type { GroupKey } from '../../asking/groups/aggregate.ts'
import { valueColumn } from '../../asking/groups/aggregate.ts'
import type { GroupQuery } from '../../asking/groups/group-query.ts'
import { type GroupValue, idsComparedWith, type Operand } from '../../asking/operand.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { Relation } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { comparedType, shownType } from '../filters/compared-type.ts'
import { heldBy, isPresent, valueSql } from '../filters/filter-sql.ts'
import { alongPath, leftJoinOf } from '../rows/related-rows.ts'
import { fieldValue } from '../text/field-column.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { column, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { ALIAS, listedRows } from './listed-rows.ts'

const ROWS = 'crud_rows'

/** How many rows the group has. */
export const COUNTED_ROWS = 'crud_counted_rows'

/**
 * One row for each group, with a column for each key and each value, and {@link COUNTED_ROWS}. No more rows are read
 * than the slot `groupRows` says, and one.
 */
export function groupsOf(context: QueryContext, path: CollectionPath, query: GroupQuery): Sql {
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
export function keyColumn(index: number): string {
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
