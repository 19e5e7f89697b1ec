import { CompiledQuery } from 'kysely'
import type { AnyKysely } from '../query/dialect/database.ts'
import { type DriverFeatures, FEATURES_QUERY } from './drivers/driver-features.ts'

/** Whether the driver behind a Kysely instance keeps its prepared statements, by `keepStatements`. Asks on one of its connections. */
export async function keepsStatements(db: AnyKysely): Promise<boolean> {
  const executor = db.getExecutor()
  const { rows } = await executor.provideConnection((connection) =>
    connection.executeQuery<{ features: DriverFeatures | null }>(CompiledQuery.raw(FEATURES_QUERY)),
  )
  return (rows[0]?.features ?? null) !== null
}
