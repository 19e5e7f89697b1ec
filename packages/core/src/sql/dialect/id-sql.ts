import type { ColumnDataType, ColumnDefinitionBuilder } from 'kysely'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import type { Source, Sql, Table } from '../text/sql-text.ts'

/**
 * How ids stand in the SQL of one database, and how they come back: for each way in which columns hold them
 * (`IdStorage`). What an id is, its kind says (`IdKind`). A driver is given an id as it is.
 */
export interface IdSql {
  /** An id as the column beside it holds it: of a parameter whose type the database does not know. */
  typed(value: Sql): Sql
  /** An id in a row that is written: of a parameter, or of rows that travel as JSON. The column tells its type. */
  inRow(value: Sql): Sql
  /** Ids as the rows of a query whose only column is `id`. {@link encodeList} makes the parameter. */
  list(parameter: Sql): Sql
  /** Ids as one parameter for {@link list}. */
  encodeList(ids: readonly Id[]): string
  /** `column = id`, and the planner finds the row through the index of the column, even in a small table. */
  equalsByIndex(column: Sql, id: Sql): Sql
  /** `column = id`, and the planner expects few such rows, whatever it knows of the table. */
  equalsInFewRows(column: Sql, id: Sql): Sql
  /** What ORDER BY sorts by: the order of the column's own index. */
  order(id: Sql): Sql
  /** What ORDER BY sorts by to get the order of the kind's `compare`. It is that of the index, too, unless the column
   * has a collation. */
  orderAsCompared(id: Sql): Sql
  /** The order of `compare`, but no index has it. So the planner finds the rows by another column and then sorts
   * them. */
  orderWithoutIndex(id: Sql): Sql
  /** An aggregate: of the ids of several rows, the one that {@link order} puts last. */
  last(id: Sql): Sql
  /** An id as JSON that can be concatenated with text. */
  json(id: Sql): Sql
  /** An id as JSON text, or NULL for NULL. */
  jsonText(id: Sql): Sql
  /** An id as text, from which {@link fromText} reads it. */
  text(id: Sql): Sql
  fromText(text: string): Id
  readonly columns: ColumnsOfId
  /** Undefined where the database assigns no such ids, or only as it inserts a row. */
  readonly assigned: AssignedIds | undefined
}

/** The columns that hold ids. */
export interface ColumnsOfId {
  /** The type that `createTables` gives to ids and to foreign keys. */
  readonly type: ColumnDataType
  /** The type that says itself that the database counts its ids. Default: {@link define} says so. */
  readonly countedType?: ColumnDataType
  /** Completes the definition of the id column of a new table. */
  define(column: ColumnDefinitionBuilder, kind: IdKind): ColumnDefinitionBuilder
  /** Every index ends in the id anyway, as it is the number of the row in SQLite. Default: false. */
  readonly isInEveryIndex?: boolean
  /** The types in which `checkTables` finds that every id stays as it is. PostgreSQL: as in the catalog. SQLite:
   * affinities. */
  readonly fits: { readonly id: readonly string[]; readonly foreignKey: readonly string[] }
}

/** How the database assigns ids before it inserts the rows. */
export interface AssignedIds {
  /** Stands between the columns and the rows of an INSERT that brings its own ids. */
  readonly overriding: Sql
  /** SQLite: the driver returns the id of the row that it has inserted. */
  readonly isReturned: boolean
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
