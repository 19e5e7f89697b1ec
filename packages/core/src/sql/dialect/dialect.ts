import type { IdKind, IdStorage } from '../../model/ids/id-kind.ts'
import type { Field } from '../../model/model.ts'
import type { DescribedValue, StorageKind } from '../../model/values/field-problems.ts'
import type { Source, Sql, Table } from '../text/sql-text.ts'
import type { IdSql } from './id-sql.ts'
import type { LearnedType } from './postgres/learned-types.ts'
import type { ColumnForms, SingleType, ValueSql, WrittenForm } from './value-sql.ts'

/** Where the two databases differ. All other SQL is written once. */
export interface Dialect {
  /** Starts a transaction that is going to write. */
  readonly begin: string
  /** How one begins that only reads (`begin`: default: as one that writes), the statement that makes it so, and what
   * undoes that behind its end. */
  readonly reading: { readonly begin?: string; readonly first: string; readonly last?: string }
  /** The isolation of such a transaction. Undefined where there is only one kind. */
  readonly isolation: 'read committed' | 'serializable' | undefined
  /** What fails in a transaction can be undone without the rest of it. */
  readonly hasSavepoints: boolean
  /** Have the database check now what it would check as it commits. SQLite cannot be asked to. */
  readonly checkDeferred: readonly string[]
  /**
   * Has foreign keys wait until the transaction commits. Undefined where unique keys can wait until a statement ends:
   * there, rows swap values in one statement. Elsewhere, rows that swap references name records for a moment that are
   * not there.
   */
  readonly deferForeignKeys: Sql | undefined
  /**
   * Has the planner look at no values until the transaction ends. If a tenant, or an owner, is unknown to the
   * statistics, it expects one row and may then read all of that tenant's rows for each id of a list. Undefined where
   * the planner looks at no values.
   */
  readonly plansWithoutValues: Sql | undefined
  /**
   * One statement can write several tables, and statements can be sent before earlier ones are answered. Undefined
   * where each statement writes one table, and is waited for.
   */
  readonly pipelining: Pipelining | undefined
  /** The milliseconds since 1970, as a statement begins. */
  readonly momentNow: Sql
  /** Others may write while a transaction does; `false` where the database has one writer at a time. */
  readonly othersMayWrite: boolean
  /** What a SELECT ends with that locks its rows. Undefined where no row has to be locked. */
  readonly rowLocks: Readonly<Record<RowLock, Sql>> | undefined
  /** An UPDATE can look in a CASE whether a value is another one than that of the row. */
  readonly hasComparingUpdates: boolean
  /** The database is another process: it measures an answer before it sends it. */
  readonly sendsAnswers: boolean
  /** How many bytes the text of a column has. The database knows this of a text column without reading the text. */
  byteLength(column: Sql): Sql
  /**
   * The value in a field's column as JSON text, `null` included; {@link UNSHOWN} for one that no JSON of the field's
   * kind can show. `type`: that of the column, if it was learned.
   */
  jsonField(column: Sql, field: Pick<DescribedValue, 'storage' | 'schema'>, type?: LearnedType): Sql
  /** The same for a value that stands otherwise in its column: `read` is null where the field can have no such
   * value. */
  jsonIfRead(column: Sql, read: Sql, field: Pick<DescribedValue, 'storage' | 'schema'>): Sql
  /** The same for a value that is computed, which takes long: it stands in the statement once. */
  jsonComputed(value: Sql, field: Pick<DescribedValue, 'storage' | 'schema'>): Sql
  /**
   * Whether a field's column has another value than a parameter that {@link encodeCompared} made. `read`: the value of
   * the column as one of the field.
   */
  isDifferent(column: Sql, read: Sql, field: ComparableField, parameter: Sql): Sql
  /** A parameter for {@link isDifferent}. `encoded`: what {@link encodeValue} returned for the value. */
  encodeCompared(value: unknown, encoded: unknown, column: Pick<RowsColumn, 'storage' | 'form'>): unknown
  /**
   * Joins rows with those of a source, to stand behind FROM. The database looks them up for one row after the other. No
   * planner can estimate how many rows a recursion or a parameter has, so it might read the whole table instead.
   */
  joinRowByRow(rows: Sql, source: Source, condition: Sql): Sql
  /** A query of one row, to stand behind FROM. The database computes its columns once, however often others name
   * them. */
  computedOnce(query: Sql): Sql
  /** A parameter that says how many rows there are to be. The planner does not see its value. */
  quantity(parameter: Sql): Sql
  /** Whether an id is one of those that a query gives. The database looks up each of these, and reads no other rows. */
  isFound(id: Sql, ids: Sql): Sql
  /** At most as many rows of a query as a limit says. They are found as if all were asked for, and no more of them are
   * read. */
  firstOf(rows: Sql, limit: Sql): Sql
  /** Rows with a part of a text are found in a table of their words, which may be missing. Elsewhere by
   * {@link ValueSql.occurs}. */
  readonly hasSearchTables: boolean
  /** An index has rows that are null in its first columns in the order of the others. Else only if ORDER BY names the
   * first, too. */
  readonly takesNullsForEqual: boolean
  /** The rows of a page, in their order. */
  page(page: PageRows): Sql
  /** So many rows or ids one statement has at most: SQLite is part of the process, which does nothing else while a
   * statement runs. */
  readonly mostRowsAtOnce: number
  /** An INSERT of up to so many rows has a parameter for each value. More rows travel in one parameter. */
  readonly mostBoundInserts: number
  /** A value of a row, as one parameter for {@link value}. */
  encodeValue(value: unknown, column: Pick<RowsColumn, 'storage' | 'form'>): unknown
  /** A parameter that any column may be compared with. */
  compared(parameter: Sql): Sql
  /** A parameter with a value of the caller, to be compared with what has its type. */
  ofCaller(parameter: Sql, type: ComparedType): Sql
  /** The value in a parameter that {@link encodeValue} made. */
  value(parameter: Sql, column: RowsColumn): Sql
  /** The rows in a parameter that {@link encodeRows} made, to stand behind FROM: in their order, with the names of
   * their columns. */
  rows(parameter: Sql, table: RowsTable, use: RowsUse): Sql
  /** Rows for {@link rows}, as one parameter. */
  encodeRows(rows: readonly (readonly unknown[])[], table: RowsTable): string
  /** Whether a row of {@link rows} for `'mixed'` use has a value for the column. If it has none, the column stays as it
   * is. */
  hasColumn(alias: string, column: RowsColumn, table: RowsTable): Sql
  /** A query with a row if the database keeps the highest id of each table; undefined where it always does. */
  readonly sequences: Sql | undefined
  /** A query that returns a row if the table is a view. Undefined where it makes no difference to a write. */
  readonly isView: ((table: Table) => Sql) | undefined
  /** A query of the last number that the database has drawn for a column, whatever became of its row. Null: it has
   * drawn none, or does not tell. */
  lastDrawn(table: Table, column: string): Sql
  /** A query of the transactions that are writing rows of a table at the moment, each by a text of its own. {@link
   * REPLICA} is among them on a replica, which does not know them. Undefined where there is one writer at a time. */
  readonly writersOf: ((table: Table) => Sql) | undefined
  /** How ids stand in SQL. */
  readonly ids: Readonly<Record<IdStorage, IdSql>>
  /** Columns that spell values otherwise. */
  readonly forms: ColumnForms
  /** How the values of fields are compared. */
  readonly values: ValueSql
}

/** A field whose values a statement can compare. JSON is compared where it is parsed: the order of its keys does not
 * count. */
export type ComparableField = Field & { readonly storage: Exclude<StorageKind, 'json'> }

/** The type of a value of the caller. `isOfColumn`: a column is beside it. */
export type ComparedType =
  | { readonly name: SingleType; readonly isOfColumn: boolean }
  | { readonly name: 'id'; readonly kind: IdKind }

/** Which rows a page has, and in which order. */
export interface PageRows {
  readonly source: Source
  /** The same rows, to be found by their ids. */
  readonly byId: Source
  readonly conditions: readonly Sql[]
  /** The column that tells the rows apart. */
  readonly id: Sql
  /** What ORDER BY sorts by. No two rows are equal in all of it. */
  readonly order: readonly Sql[]
  /** Made by {@link Dialect.quantity}. */
  readonly limit: Sql
  readonly offset: Sql
}

/** How rows are locked: as a write locks the topmost owner, so that nobody can name them either, or as a foreign key
 * locks what it names. */
export type RowLock = 'for no key update' | 'for update' | 'for key share'

/** What statements need that are sent before earlier ones are answered. */
export interface Pipelining {
  /** The transaction can keep the ids of new rows, so that later statements find them there. Else each INSERT that
   * tells one is waited for. */
  readonly keepsIds: boolean
  /**
   * A query that fails unless another query returns the given JSON in the column `json` of its first row. Null stands
   * for no row. The error's message contains `message`.
   */
  failUnlessSame(query: Sql, json: Sql, message: string): Sql
  /** A column that fails if a query counts fewer than a parameter says. The error's message contains {@link UNDONE}. */
  failIfFewer(count: Sql, expected: Sql): Sql
}

/**
 * Stands in the JSON of a record for a value that cannot be shown. It is no JSON, and JSON has it nowhere: not even in
 * a string, where control characters are escaped.
 */
export const UNSHOWN = '\u0001'

/** The message if a record is not the same any more. PostgreSQL's log shows it as an error. */
export const CHANGED = 'fastify-crud: the record changed after it was read, so the write begins anew'

/** The message if a policy of the database has kept a row from being written. */
export const UNDONE = 'fastify-crud: the database has left a row as it is, so the request is refused'

/** The message if a policy forbids rows that the write has stored. */
export const NOT_ALLOWED = 'fastify-crud: a policy does not allow what the write has stored'

/** The message if the write was allowed, and the right was taken away since. */
export const RIGHT_LOST = 'fastify-crud: a right was taken away after it was asked for, so the write begins anew'

const RAISED = [CHANGED, UNDONE, NOT_ALLOWED, RIGHT_LOST] as const

/** Which of these messages an error brings back from the database; undefined: none. */
export function raisedBy(error: unknown): (typeof RAISED)[number] | undefined {
  return error instanceof Error ? RAISED.find((message) => error.message.includes(message)) : undefined
}

/**
 * What rows are for: to be inserted, to be joined to a table, to be set in a table's rows, to be set where some lack
 * columns (`'mixed'`), or to be joined where each tells its index among them, in the column {@link ROW_INDEX}
 * (`'numbered'`).
 */
export type RowsUse = 'inserted' | 'joined' | 'set' | 'mixed' | 'numbered'

/** In place of the writers that a replica does not know. */
export const REPLICA = 'replica'

/** Counts from 0. */
export const ROW_INDEX = 'crud_index'

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
  readonly storage: StorageKind | IdSql
  /** Undefined: the column spells its values as the dialect expects. */
  readonly form?: WrittenForm | undefined
}

/** The bytes of a base64 text, as both databases can read them. */
export function hexOf(base64: unknown): string {
  return Buffer.from(String(base64), 'base64').toString('hex')
}

/** Stands for a value that a row does not have: the column stays as it is. */
export const ABSENT: unique symbol = Symbol('absent')
