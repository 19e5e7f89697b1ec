/**
 * One change that `pushTables` has made.
 *
 * @example
 * const change: TableChange = {
 *   table: 'book',
 *   column: 'heading',
 *   reason: 'column book.heading is missing',
 *   statement: 'ALTER TABLE "book" ADD COLUMN "heading" text',
 *   hint: "if it is book.title under a new name, drop it, and say was: 'title'",
 * }
 */
export interface TableChange {
  /** The table, as the database calls it. */
  readonly table: string
  /** The column, as the database calls it, where it is about one. */
  readonly column?: string
  /** Why, in a few words. */
  readonly reason: string
  /** The SQL that was run. */
  readonly statement: string
  /** What its author may have meant instead. */
  readonly hint?: string
}
