import type { Sql } from './sql-text.ts'

/**
 * The rows that one part of a query reads or writes. Nothing else names a table in a query, so a condition that holds for all
 * rows of a resource has one place: here.
 *
 * All conditions must hold. One that contains OR stands in parentheses of its own.
 */
export interface Source {
  /** How the query names the rows: by their alias, or else by their table. */
  readonly name: Sql
  /** `from … where …` */
  from(...conditions: readonly Sql[]): Sql
  /** The same with joins between the rows and their conditions. */
  fromWith(joins: readonly Sql[], ...conditions: readonly Sql[]): Sql
  /** What stands behind JOIN: `… on …`. */
  joinedOn(...conditions: readonly Sql[]): Sql
  /** `update … set … where …`. The assignments may end in a FROM of their own. */
  update(assignments: Sql, ...conditions: readonly Sql[]): Sql
  /** `delete from … where …` */
  delete(...conditions: readonly Sql[]): Sql
}
