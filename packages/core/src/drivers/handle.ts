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

/** Reads in the middle of whatever else goes on. */
export interface Reads {
  /** No transaction is open: what it changes would be nobody else's to see. */
  readonly arePossible: boolean
  /** Runs a statement that gives a row of one column, or none; gives the value, or undefined. */
  value(sql: string, parameters: readonly unknown[]): unknown
}
