import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Field, ForeignKey, Link, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { AnyKysely } from '../dialect/database.ts'
import type { RowsColumn, RowsTable } from '../dialect/dialect.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { tableOf } from '../source.ts'
import { join, type Names, type Sql, slot } from '../sql-text.ts'

/**
 * One step of a plan as SQL. While they are few, rows and ids are parameters of their own; more travel in one, so that the
 * SQL depends on the kind of step and its columns only.
 */
export interface StepPart {
  readonly shape: StepShape
  readonly values: readonly unknown[]
}

/** The SQL of all steps that differ in their values only. */
export class StepShape {
  /** No other shape has it. */
  readonly name: string
  /** The statement; its slots are numbered from `first` on, `idOf` tells how it finds the id of the only new row of a resource. */
  readonly sql: (first: number, idOf: (resource: Resource) => Sql) => Sql
  readonly #db: AnyKysely
  #alone: Prepared | undefined

  constructor({ db }: QueryContext, name: string, sql: StepShape['sql']) {
    this.name = name
    this.sql = sql
    this.#db = db
  }

  /** The same on its own, where ids are known. */
  alone(): Prepared {
    this.#alone ??= prepare(this.#db, this.sql(0, refuseUnknown))
    return this.#alone
  }
}

function refuseUnknown({ key }: Resource): never {
  throw new Error(`the id of the new ${key} should be known`)
}

/** So many rows that are updated, and ids, are parameters of their own: PostgreSQL finds them a tenth to a third faster. */
export const MOST_BOUND = 8

/** 1, 2, 4 or 8 of them: the last one stands there several times, which changes nothing and makes for few statements. */
export function filledUp<Item>(items: readonly Item[]): readonly Item[] {
  let wanted = 1
  while (wanted < items.length) wanted *= 2
  if (wanted === items.length) return items
  const filled = items.slice()
  while (filled.length < wanted) filled.push(items.at(-1) as Item)
  return filled
}

/** Ids as the values of a statement, and which statement that is: by how many are bound, 0 where they travel in one parameter. */
export interface SomeIds {
  readonly count: number
  readonly values: readonly unknown[]
}

export function someIds({ encodeList }: IdSql, ids: readonly Id[]): SomeIds {
  if (ids.length > MOST_BOUND) return { count: 0, values: [encodeList(ids)] }
  const values = filledUp(ids)
  return { count: values.length, values }
}

/** Whether a column is one of so many ids, to stand behind it; its slots are numbered from `first` on. */
export function isOneOf({ list, typed }: IdSql, count: number, first: number): Sql {
  if (count === 0) return sql`in (${list(slot(first))})`
  const slots = Array.from({ length: count }, (_, index) => typed(slot(first + index)))
  return sql`in (${join(slots)})`
}

/** Rows of a resource that carry their ids, if `withId`, and these columns. */
export function rowsOf(
  context: QueryContext,
  resource: Resource,
  withId: boolean,
  columns: readonly (Field | ForeignKey)[],
): RowsTable {
  const { names } = context
  const id = withId ? [idColumn(names, resource.idColumn)] : []
  const others = columns.map((one): RowsColumn => {
    return one.kind === 'field'
      ? { name: one.column, inDatabase: names.column(one.column), storage: one.storage }
      : idColumn(names, one.column)
  })
  return { table: tableOf(context, resource), columns: [...id, ...others] }
}

/** Rows of a link table. */
export function pairsOf(context: QueryContext, link: Link): RowsTable {
  const { names } = context
  return { table: tableOf(context, link), columns: [idColumn(names, link.from), idColumn(names, link.to)] }
}

function idColumn(names: Names, name: string): RowsColumn {
  return { name, inDatabase: names.column(name), storage: 'id' }
}
