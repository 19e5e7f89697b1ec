import { CompiledQuery } from 'kysely'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { Pipeline } from '../postgres/pipeline/index.ts'
import type { DirectDatabase } from '../sqlite/direct-database.ts'
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
  /** PostgreSQL: the turns of all but reads by ids, so that one connection is always for these. */
  readonly othersTurns?: Turns | undefined
  /** PostgreSQL: cancels the statement that runs on this connection, which nobody can use again then. */
  readonly cancel?: (() => Promise<void>) | undefined
  /** SQLite: the database itself, so that requests need not wait for Kysely's only connection. */
  readonly direct?: DirectDatabase | undefined
}

/** Whether the driver behind a Kysely instance keeps its prepared statements, by `keepStatements`. Asks on one of its connections. */
export async function keepsStatements(db: AnyKysely): Promise<boolean> {
  const executor = db.getExecutor()
  const { rows } = await executor.provideConnection((connection) =>
    connection.executeQuery<{ features: DriverFeatures | null }>(CompiledQuery.raw(FEATURES_QUERY)),
  )
  return (rows[0]?.features ?? null) !== null
}
