import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { SortKey } from '../../reading/sort-key.ts'
import type { QueryContext } from '../context.ts'
import type { ValueType } from '../dialect/value-sql.ts'
import { idSqlOf } from '../id-sql-of.ts'
import { column, type Sql } from '../sql-text.ts'
import { type Comparing, columnOf, idSqlIn, valueSql } from './filter-sql.ts'
import { relatedRows } from './related-rows.ts'

/** One of the expressions that rows are sorted by. */
export interface SortSql {
  readonly value: Sql
  readonly isDescending: boolean
  /** Whether the value may be null: such rows come last. */
  readonly isNullable: boolean
}

/** What rows are sorted by. The id comes last, so that no two rows are equal, in the direction of the last key. */
export function sortSql(
  context: QueryContext,
  resource: Resource,
  sort: readonly SortKey[],
  alias: string,
  comparing: Comparing,
): readonly SortSql[] {
  const keys = sort.map(({ by, isDescending }) => ({
    value: sortedBy(context, by, alias, comparing),
    isDescending,
    isNullable: mayBeNull(by),
  }))
  const id = idSqlOf(context, resource).order(column(alias, resource.idColumn))
  return [...keys, { value: id, isDescending: keys.at(-1)?.isDescending ?? false, isNullable: false }]
}

/** What stands behind ORDER BY. */
export function orderBy(keys: readonly SortSql[]): readonly Sql[] {
  return keys.map(({ value, isDescending, isNullable }) => {
    const directed = isDescending ? sql`${value} desc` : value
    return isNullable ? sql`${directed} nulls last` : directed
  })
}

/** The value that records are sorted by. */
export function sortedBy(context: QueryContext, by: SortKey['by'], alias: string, comparing: Comparing): Sql {
  const [first, ...others] = by.relations
  if (by.kind === 'count' && first !== undefined && others.length === 0) return relatedRows(context, first, alias).count
  if (first === undefined) return ownValue(context, by as Extract<SortKey['by'], { kind: 'value' }>, alias, comparing)
  const { from, alias: far } = relatedRows(context, first, alias)
  const value = sql`(select ${sortedBy(context, { ...by, relations: others }, far, comparing)} ${from()} limit 1)`
  // A record that is not there has none of them.
  return by.kind === 'count' ? sql`coalesce(${value}, 0)` : value
}

function ownValue(
  context: QueryContext,
  { operand, isLowered }: Extract<SortKey['by'], { kind: 'value' }>,
  alias: string,
  { foldsAll }: Comparing,
): Sql {
  const ids = idSqlIn(context, operand)
  if (ids !== undefined) return ids.order(column(alias, columnOf(operand)))
  const { values } = context.dialect
  const value = valueSql(context, operand, alias)
  const type = operand.type as ValueType
  if (isLowered) return values.ordered(values.lower(values.text(value), foldsAll), type)
  return operand.kind === 'json' && type !== 'string' ? value : values.ordered(value, type)
}

function mayBeNull(by: SortKey['by']): boolean {
  if (by.kind === 'count') return false
  return by.relations.length > 0 || isOptional(by.operand)
}

function isOptional(operand: Extract<SortKey['by'], { kind: 'value' }>['operand']): boolean {
  return operand.kind === 'member' ? operand.member.nullable : operand.kind === 'json'
}
