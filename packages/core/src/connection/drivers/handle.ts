import type { Batching } from './batching.ts'

/** What `keepStatements` answers itself, with its {@link Handle} in the column `handle`. From any other driver comes null. */
export const HANDLE = 'select null as handle'

/** What can be done with a driver beyond what Kysely's dialect does. */
export interface Handle {
  /** PostgreSQL: statements for this connection can go together. */
  readonly batching?: Batching | undefined
  /** SQLite: what asks the database itself need not wait for the one connection that there is. */
  readonly direct?: Direct | undefined
}

/** Asks the database itself: a statement is done when it returns. */
export interface Direct {
  /**
   * Nothing is open on the connection that statements would be part of: neither a transaction, whose changes are not
   * committed, nor rows that are still being read, which are those of an earlier moment. And it is not held.
   */
  readonly isPossible: boolean
  /** A statement that fails is over then. Else it would keep the connection at what it has read, even after a rollback. */
  readonly resetsStatements: boolean
  /** The store does something on the connection that waits in between, and relies on nobody else writing on it meanwhile. */
  isHeld: boolean
  rows(sql: string, parameters: readonly unknown[]): readonly unknown[]
  /** What the only row has in its first column; undefined if there is no row. */
  value(sql: string, parameters: readonly unknown[]): unknown
  /** The id that was given to the last row which the statement inserted. */
  insertedId(sql: string, parameters: readonly unknown[]): number
}
