import type { Batching } from './batching.ts'

/** What `keepStatements` answers itself, with its {@link Handle} in the column `handle`. From any other driver comes null. */
export const HANDLE = 'select null as handle'

/** What can be done with a driver beyond what Kysely's dialect does. */
export interface Handle {
  /** PostgreSQL: statements for this connection can go together. */
  readonly batching?: Batching | undefined
  /** SQLite: what only reads need not wait for the one connection that there is. */
  readonly reads?: Reads | undefined
}

/** Reads that ask the database itself. */
export interface Reads {
  /**
   * Nothing is open on the connection that they would be part of: neither a transaction, whose changes are not committed,
   * nor rows that are still being read, which are those of an earlier moment.
   */
  readonly arePossible: boolean
  /** What the only row has in the column `json`; undefined if there is no row. */
  json(sql: string, parameters: readonly unknown[]): unknown
}
