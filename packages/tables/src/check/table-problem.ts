import type { DatabaseName } from '@fastify-crud/core/internal'
import { type ColumnLayout, qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/**
 * What a difference is about:
 *
 * - `table`: it is missing, is a view, or has a rule for writes. `column`: it is missing. `extra column`: no descriptor
 * names it, and no row can be inserted without it
 * - `type`: the column's type does not keep all values. `computed`: the database computes what the service writes
 * - `null`: null where it may not be, or the other way round. `default`: the column lacks one, or has one of another
 * meaning
 * - `key`: the primary key. `id`: who assigns the ids, and whether one is assigned twice
 * - `unique`: a unique key is missing, or is not as the model needs it. `extra unique`: the model does not know it
 * - `foreign key`: it is missing, names another table, or is not enforced. `extra foreign key`: the model does not know
 * it
 * - `on delete`: what the database does to the row when the one that it names is deleted
 * - `index`: it is missing. `collation`: texts are compared or sorted otherwise than the service does
 * - `value`: rows hold what does not fit the field's schema; all other kinds are about the tables themselves
 * - `connection`: a setting
 */
export type TableProblemKind =
  | 'table'
  | 'column'
  | 'extra column'
  | 'type'
  | 'computed'
  | 'null'
  | 'default'
  | 'key'
  | 'id'
  | 'unique'
  | 'extra unique'
  | 'foreign key'
  | 'extra foreign key'
  | 'on delete'
  | 'index'
  | 'collation'
  | 'value'
  | 'connection'

/**
 * One difference between a database and a model.
 *
 * @example
 * const problem: TableProblem = {
 *   kind: 'null',
 *   severity: 'error',
 *   table: 'book',
 *   column: 'title',
 *   wanted: 'not null',
 *   found: 'null',
 *   message: 'column book.title allows null, but the model does not: ALTER TABLE "book" ALTER COLUMN "title" SET NOT NULL',
 *   fix: 'ALTER TABLE "book" ALTER COLUMN "title" SET NOT NULL',
 * }
 */
export interface TableProblem {
  /** What it is about, in a word that programs may switch on. */
  readonly kind: TableProblemKind
  /** `error`: a promise is broken or requests fail. `warning`: they do with some values only, or are slow. */
  readonly severity: 'error' | 'warning'
  /** The table, as the database calls it; left out where the problem is that of several tables, or of the
   * connection. */
  readonly table?: string
  /** The column, as the database calls it, where it is one column's problem. */
  readonly column?: string
  /** What the model needs, in a few words, such as a type; left out where it needs nothing, as of what it does not
   * know. */
  readonly wanted?: string
  /** What the database has, in a few words; left out where it has nothing, as of what is missing. */
  readonly found?: string
  /** A whole sentence: what is wrong with which table or column, and the SQL that fixes it if there is some. */
  readonly message: string
  /**
   * SQL that fixes it, also in a table with rows: one statement, or several with `;` and a line break between them. If
   * rows break the new constraint, it fails and changes nothing in them. Left out where no SQL can do it, or only for
   * values that nobody but you knows.
   */
  readonly fix?: string
}

/** A {@link TableProblem} before it has a message. */
interface Finding extends Pick<TableProblem, 'kind' | 'severity'> {
  /** None: the connection's. */
  readonly table?: TableLayout
  readonly column?: string | undefined
  readonly wanted?: string | undefined
  readonly found?: string | undefined
  /** The message without the SQL. */
  readonly what: string
  /** What ends the message where there is no `fix`. */
  readonly advice?: string | undefined
  /** A statement, or several in their order. */
  readonly fix?: string | readonly string[] | undefined
  readonly columns?: readonly string[] | undefined
  readonly name?: string | undefined
}

/** A {@link TableProblem} as the comparison makes it. */
export interface FoundProblem extends TableProblem {
  /** The message without the SQL. */
  readonly what: string
  /** Those of its `fix`: in a text, what separates two of them may also be within a default or a name. */
  readonly statements: readonly string[] | undefined
  /** The columns that a key is over. */
  readonly columns: readonly string[] | undefined
  /** The name of the key or of the constraint that the database has. */
  readonly name: string | undefined
}

export function problem(finding: Finding): FoundProblem {
  const { kind, severity, table, column, wanted, found, what, advice, fix, columns, name } = finding
  const statements = typeof fix === 'string' ? [fix] : fix
  const end = statements?.join('; ') ?? advice
  return {
    kind,
    severity,
    ...(table && { table: qualifiedName(table) }),
    ...(column !== undefined && { column }),
    ...(wanted !== undefined && { wanted }),
    ...(found !== undefined && { found }),
    message: end === undefined ? what : `${what}: ${end}`,
    ...(statements !== undefined && { fix: statements.join(';\n') }),
    what,
    statements,
    columns,
    name,
  }
}

export function toTableProblem({ what, statements, columns, name, ...found }: FoundProblem): TableProblem {
  return found
}

/** `table.column`, for a sentence. */
export function qualifiedColumn(table: TableLayout, column: string): string {
  return `${qualifiedName(table)}.${column}`
}

/** The ALTER TABLE that fixes a problem. None for SQLite, which would need a new table. */
export function alteration(database: DatabaseName, table: TableLayout, action: string): string | undefined {
  return database === 'postgres' ? `ALTER TABLE ${quotedTable(table)} ${action}` : undefined
}

/** Why a column does not keep every value of its kind as it is. */
export interface Misfit {
  /** Whether it is the column's type or its default that does not fit. */
  readonly kind: 'type' | 'default'
  /** `error`: wrong for most values. `warning`: wrong for some that the model allows. */
  readonly severity: 'error' | 'warning'
  /** Goes on right after the column's name. */
  readonly what: string
}

/** How the descriptor could say what the column of a base64 field holds. */
export function adviceForBytes({ kind }: ColumnLayout): string {
  return kind === 'bytes' ? ", or leave out contentEncoding: 'base64'" : ''
}
