import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Field, ForeignKey, Link, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowsColumn, RowsTable } from '../dialect/dialect.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { writtenForm } from '../text/field-column.ts'
import { idSlot, idSqlOf, rowId, storageInRow } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { tableOf } from '../text/stored-rows.ts'

/**
 * One step of a plan as SQL. A few rows or ids have parameters of their own. More of them travel in one parameter, so
 * that the SQL depends only on the kind of step and its columns.
 */
export interface StepPart {
  readonly shape: StepShape
  readonly values: readonly unknown[]
}

/** The SQL of all steps that differ only in their values: there is one shape for all of them. */
export class StepShape {
  /** The statement. Its slots are numbered from `first` on. `idOf` is the SQL for the id of the only new row of a
   * resource. */
  readonly sql: (first: number, idOf: (resource: Resource) => Sql) => Sql
  /** Of an INSERT that leaves out rows which are there: how many of its rows are. The slots are as in {@link sql}. */
  readonly countThere: StepShape['sql'] | undefined
  readonly #context: QueryContext
  #ownStatement: Prepared | undefined
  #returningId: Prepared | undefined
  #howManyThere: Prepared | undefined

  constructor(context: QueryContext, sql: StepShape['sql'], countThere?: StepShape['sql']) {
    this.sql = sql
    this.countThere = countThere
    this.#context = context
  }

  /** The step as a statement of its own, where the ids of new rows are known. */
  ownStatement(): Prepared {
    this.#ownStatement ??= prepare(this.#context.db, this.sql(0, refuseUnknown))
    return this.#ownStatement
  }

  /** {@link countThere} as a statement of its own; undefined if no row is left out. */
  howManyThere(): Prepared | undefined {
    const { countThere } = this
    if (countThere === undefined) return undefined
    this.#howManyThere ??= prepare(this.#context.db, sql`select (${countThere(0, refuseUnknown)}) as count`)
    return this.#howManyThere
  }

  /** {@link ownStatement} for an INSERT of one row of a resource: it returns the id of the row as text. */
  returningId(resource: Resource): Prepared {
    if (this.#returningId === undefined) {
      const id = idSqlOf(this.#context, resource).text(rowId(resource))
      this.#returningId = prepare(this.#context.db, sql`${this.sql(0, refuseUnknown)} returning ${id} as id`)
    }
    return this.#returningId
  }
}

function refuseUnknown({ key }: Resource): never {
  throw new Error(`the id of the new ${key} should be known`)
}

/** Up to so many ids, or rows to update, have parameters of their own. PostgreSQL finds them a tenth to a third
 * faster. */
export const MOST_BOUND = 8

/** Repeats the last item until there are 1, 2, 4 or 8. This changes nothing, and few statements have to be compiled. */
export function filledUp<Item>(items: readonly Item[]): readonly Item[] {
  let wanted = 1
  while (wanted < items.length) wanted *= 2
  if (wanted === items.length) return items
  const filled = items.slice()
  while (filled.length < wanted) filled.push(items.at(-1) as Item)
  return filled
}

/** Ids as the values of a statement. */
export interface SomeIds {
  /** How many parameters the statement has for them. 0: they travel in one. */
  readonly count: number
  readonly values: readonly unknown[]
}

export function someIds({ encodeList }: IdSql, ids: readonly Id[]): SomeIds {
  if (ids.length > MOST_BOUND) return { count: 0, values: [encodeList(ids)] }
  const values = filledUp(ids)
  return { count: values.length, values }
}

/** Whether an id of a resource is one of so many. The slots are numbered from `first` on. */
export function isOneOf(context: QueryContext, resource: Resource, id: Sql, count: number, first: number): Sql {
  if (count === 0) return sql`${id} in (${idSqlOf(context, resource).list(slot(first))})`
  return isAmong(
    id,
    Array.from({ length: count }, (_, index) => idSlot(context, resource, first + index)),
  )
}

/** SQLite compares a row value with a list of them only where a query gives the list. */
export function isAmong(id: Sql, ids: readonly Sql[]): Sql {
  if (partsOf(id).length === 1) return sql`${id} in (${join(ids)})`
  const isSame = ids.map((one) => sql`${id} = ${one}`)
  return sql`(${join(isSame, sql` or `)})`
}

/** Rows of a resource that have these columns, and first their ids if `withId`. */
export function rowsOf(
  context: QueryContext,
  resource: Resource,
  withId: boolean,
  columns: readonly (Field | ForeignKey)[],
): RowsTable {
  const { names } = context
  const columnOf = (one: Field | ForeignKey): RowsColumn =>
    one.kind === 'field'
      ? {
          name: one.column,
          inDatabase: names.column(one.column),
          storage: one.storage,
          form: writtenForm(context, one),
        }
      : idColumn(context, one.target, one.column)
  const { idMembers, idColumns } = resource
  const ownIds = () => (idMembers.length > 0 ? idMembers.map(columnOf) : [idColumn(context, resource, idColumns[0])])
  return { table: tableOf(context, resource), columns: [...(withId ? ownIds() : []), ...columns.map(columnOf)] }
}

/** The column of the moment at which a record was deleted. */
export function stampColumn(context: QueryContext, resource: Resource): RowsColumn {
  const [column] = rowsOf(context, resource, false, [resource.softDelete as Field]).columns
  return column as RowsColumn
}

/** Rows of a link table, with the columns of these numbers. */
export function pairsOf(context: QueryContext, link: Link, numbers: readonly string[] = []): RowsTable {
  const { source, target, fromColumn, toColumn } = link
  const ofNumbers = numbers.map(
    (name): RowsColumn => ({ name, inDatabase: context.names.column(name), storage: 'integer' }),
  )
  const columns = [idColumn(context, source, fromColumn), idColumn(context, target, toColumn), ...ofNumbers]
  return { table: tableOf(context, link), columns }
}

/** A column that holds the ids of a resource. */
function idColumn(context: QueryContext, of: Resource, name: string): RowsColumn {
  const inDatabase = context.names.column(name)
  const [member] = of.idMembers
  const storage = idSqlOf(context, of)
  return { name, inDatabase, ...(member === undefined ? { storage } : storageInRow(context, member, storage)) }
}
