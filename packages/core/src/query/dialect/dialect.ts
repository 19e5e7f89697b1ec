import type { Field, StorageKind } from '../../model/model.ts'
import type { Sql, Table } from '../sql-text.ts'

/**
 * Where the two databases differ. Everything else in this folder is written once.
 */
export interface Dialect {
  /** Starts a transaction that is going to write. */
  readonly begin: string
  /**
   * One statement can write several tables, and statements can go off before those ahead of them are answered; undefined
   * where neither is so.
   */
  readonly ahead: Ahead | undefined
  /** A writer waits for the row that another one has locked. Default `true`; `false` where one writer at a time is all there is. */
  readonly locksRows: boolean
  /** Answers come from another process, so their size is looked at before they are sent. */
  readonly sendsAnswers: boolean
  /** How many bytes a column's text has, found without reading it where the column is one of texts. */
  byteLength(column: Sql): Sql
  /** A field's column as JSON text, `null` included. */
  jsonField(column: Sql, field: Field): Sql
  /**
   * Whether a record, as it is read, has something else for a field than the value in a parameter that {@link compared} made.
   * Not for JSON.
   */
  isDifferent(column: Sql, field: Field, parameter: Sql): Sql
  /** What {@link bind} made of a value, for {@link isDifferent}. */
  compared(bound: unknown, field: Field): unknown
  /** A parameter that may be compared with any id. */
  id(parameter: Sql): Sql
  /** That a row has an id, where it is looked up for each of many others: to read a small table each time is not as quick. */
  hasId(column: Sql, id: Sql): Sql
  /**
   * That a row has an id in a column that few others have it in, whatever the database knows of the table. A record that owns
   * others looks like more work than it is, else: PostgreSQL would compile the statement at each execution.
   */
  fewHave(column: Sql, id: Sql): Sql
  /**
   * What stands behind `from` to join rows with those of a table that fit them, as `alias`, looked up for each row. Nobody can
   * estimate how many rows a recursion has at each step, or a parameter: left to itself, a planner reads the whole table.
   */
  lookUpForEach(rows: Sql, table: Table, alias: string, condition: Sql): Sql
  /**
   * An id by which to sort rows that are found by another column. Where much is made of each row, all ways to them look about
   * as dear to PostgreSQL's planner, and it takes the one that needs no sorting: through the whole table, in the order of its
   * ids.
   */
  sortKey(id: Sql): Sql
  /**
   * The rows of a page, in the order of their ids. Of a page whose size it does not know PostgreSQL's planner takes a tenth of
   * the table: too much to be made JSON of. Of a list of ids it takes ten.
   */
  page(page: Page): Sql
  /** The ids in a parameter that {@link encodeIds} made, as a query whose only column is `id`. */
  ids(parameter: Sql): Sql
  /** Ids for {@link ids}, as one parameter. */
  encodeIds(ids: readonly number[]): string
  /** So many rows that are inserted are parameters of their own, more travel in one parameter. */
  readonly mostBoundInserts: number
  /** A value of a row as a parameter of its own. */
  bind(value: unknown, column: RowsColumn): unknown
  /** What stands in the statement for such a parameter. */
  bound(parameter: Sql, column: RowsColumn): Sql
  /**
   * The rows in a parameter that {@link encodeRows} made, in their order, as something to select from: it has the columns
   * under their own names.
   */
  rows(parameter: Sql, table: RowsTable, use: RowsUse): Sql
  /** Rows for {@link rows}, as one parameter. */
  encodeRows(rows: readonly (readonly unknown[])[], table: RowsTable): string
  /** Whether a row of {@link rows} for `'mixed'` use carries the column; where it does not, the column is left alone. */
  hasColumn(alias: string, column: RowsColumn, table: RowsTable): Sql
  /** Between the columns and the rows of an INSERT that brings its own ids. */
  readonly insertIds: Sql
  /**
   * JSON of `count` ids that no row has or had: an array of them, or the highest one that was ever given, where all
   * that follow are free until the transaction ends. They are above `floor`, where no {@link skipId} sees to that.
   * `idColumn` is as the database spells it.
   */
  newIds(table: Table, idColumn: string, count: Sql, floor: Sql, hasSequences: boolean): Sql
  /** A query with a row if the database keeps sequences; undefined where it always does. */
  readonly sequences: Sql | undefined
  /** Makes sure that an id which a client chose is not given again; undefined where the database sees to that. */
  skipId(table: Table, idColumn: string, id: Sql): Sql | undefined
}

/** Which rows of a table a page has. */
export interface Page {
  /** The table with its alias, as it stands behind FROM. */
  readonly table: Sql
  /** Which of the rows are listed: a WHERE clause, or nothing. */
  readonly where: Sql
  readonly id: Sql
  /** Parameters. */
  readonly limit: Sql
  readonly offset: Sql
}

/** How statements build upon others whose answers are not known yet. */
export interface Ahead {
  /** A query that fails, with {@link CHANGED} in its message, unless the first row of another is the given one, or both are none. */
  failUnlessSame(query: Sql, json: Sql): Sql
}

/** What the database's own log says of it. */
export const CHANGED = 'fastify-crud: the record changed after it was read, so the write begins anew'

/** What rows are selected for: to be inserted, to find rows of a table by them, or that where not all carry every column. */
export type RowsUse = 'inserted' | 'joined' | 'mixed'

/** The shape of rows that travel in one parameter. */
export interface RowsTable {
  /** The table whose column types the rows have. */
  readonly table: Table
  readonly columns: readonly RowsColumn[]
}

export interface RowsColumn {
  /** As in descriptors. */
  readonly name: string
  /** As in the database itself. */
  readonly inDatabase: string
  readonly storage: StorageKind | 'id'
}

/** A value that a row does not carry: its column is left alone. */
export const ABSENT: unique symbol = Symbol('absent')
