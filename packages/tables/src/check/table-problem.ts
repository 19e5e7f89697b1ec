import { qualifiedName } from '../layout/table-layout.ts'
import { type Difference, messageOf, namesOfColumns, type TableProblemKind } from './difference.ts'

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

/** A difference in words. */
export function toTableProblem(difference: Difference): TableProblem {
  const { kind, severity, at, wanted, found, fix } = difference
  const [column, another] = namesOfColumns(difference)
  return {
    kind,
    severity,
    ...(at && { table: qualifiedName(at.table) }),
    ...(column !== undefined && another === undefined && { column }),
    ...(wanted !== undefined && { wanted }),
    ...(found !== undefined && { found }),
    message: messageOf(difference),
    ...(fix !== undefined && { fix: fix.join(';\n') }),
  }
}
