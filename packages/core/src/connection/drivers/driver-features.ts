import type { DirectDatabase } from './direct-database.ts'
import type { Pipeline } from './pipeline.ts'
import type { Turns } from './turns.ts'

/**
 * The query that asks a driver for its {@link DriverFeatures}. A driver made by `keepStatements` answers it itself, in the column
 * `features`. From any other driver, the database answers with null.
 */
export const FEATURES_QUERY = 'select null as features'

/** What a driver offers beyond what Kysely's dialect uses. */
export interface DriverFeatures {
  /** PostgreSQL: sends several statements of this connection in one message. */
  readonly pipeline?: Pipeline | undefined
  /** PostgreSQL: the turns of reads that may take long, on all connections of the pool. */
  readonly turns?: Turns | undefined
  /** PostgreSQL: cancels the statement that runs on this connection, which nobody can use again then. */
  readonly cancel?: (() => Promise<void>) | undefined
  /** SQLite: the database itself, so that requests need not wait for Kysely's only connection. */
  readonly direct?: DirectDatabase | undefined
}
