import type { ColumnDataType, ColumnDefinitionBuilder } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Source } from '../text/source.ts'
import type { Sql, Table } from '../text/sql-text.ts'

/**
 * How the ids of one kind stand in the SQL of one database, and how they come back. What such an id is, the kind itself says
 * (`IdKind`). A driver is given an id as it is.
 */
export interface IdSql {
  /** An expression as an id, such as a parameter whose type the database does not know. */
  typed(value: Sql): Sql
  /** Ids as the rows of a query whose only column is `id`. {@link encodeList} makes the parameter. */
  list(parameter: Sql): Sql
  /** Ids as one parameter for {@link list}. */
  encodeList(ids: readonly Id[]): string
  /** `column = id`, and the planner finds the row through the index of the column, even in a small table. */
  equalsByIndex(column: Sql, id: Sql): Sql
  /** `column = id`, and the planner expects few such rows, whatever it knows of the table. */
  equalsInFewRows(column: Sql, id: Sql): Sql
  /** What ORDER BY sorts by: it gives the same order as the kind's `compare`. */
  order(id: Sql): Sql
  /** An aggregate: of the ids of several rows, the one that {@link order} puts last. */
  last(id: Sql): Sql
  /** The same order, but no index has it. So the planner finds the rows by another column and then sorts them. */
  orderWithoutIndex(id: Sql): Sql
  /** An id as JSON that can be concatenated with text. */
  json(id: Sql): Sql
  /** An id as JSON text, or NULL for NULL. */
  jsonText(id: Sql): Sql
  /** The id in a value that a driver returned for an id column. */
  fromDriver(value: unknown): Id
  /** An id that stands for an index in a list, where an id column carries it. */
  fromIndex(index: number): Id
  /** The index that {@link fromIndex} was given. */
  toIndex(id: Id): number
  readonly columns: IdColumns
  readonly assigned: AssignedIds
}

/** The columns that hold ids of a kind. */
export interface IdColumns {
  /** The type that `createTables` gives to ids and to foreign keys. */
  readonly type: ColumnDataType
  /** Every index ends in the id anyway, as it is the number of the row in SQLite. Default: false. */
  readonly isInEveryIndex?: boolean
  /** The types in which `checkTables` finds that every id stays as it is. PostgreSQL: as in the catalog. SQLite: affinities. */
  readonly fits: { readonly id: readonly string[]; readonly foreignKey: readonly string[] }
}

/** How the database assigns ids of a kind to new rows. */
export interface AssignedIds {
  /** Has a new table's id column assign ids. */
  define(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** Stands between the columns and the rows of an INSERT that brings its own ids. */
  readonly overriding: Sql
  /**
   * Reserves `count` ids that no row has or had, as JSON for {@link toReserved}. They are above `floor`. Where there is
   * {@link skip}, it has made sure of that, and `floor` is not used. `idColumn` is as the database spells it.
   */
  reserve(table: Table, idColumn: string, count: Sql, floor: Sql, hasSequences: boolean): Sql
  /** The ids that {@link reserve} reserved, in their order. */
  toReserved(answer: unknown, count: number): readonly Id[]
  /** The floor for {@link reserve}, where a client chose these ids for other new rows. */
  floorAbove(chosen: readonly Id[]): unknown
  /** A query that keeps the database from assigning an id that is in use. Undefined where it never does. */
  readonly skip: ((table: Table, idColumn: string, id: Sql) => Sql) | undefined
  /** The id of some rows after which the database has to go on: {@link skip} takes it, and passes over all of them. */
  highest(idColumn: string, rows: Source): Sql
}
