import { CompiledQuery } from 'kysely'
import type { AnyKysely } from '../query/dialect/database.ts'
import { HANDLE, type Handle } from './drivers/handle.ts'

/** Whether the driver behind a Kysely instance keeps its prepared statements, by `keepStatements`. Asks on one of its connections. */
export async function keepsStatements(db: AnyKysely): Promise<boolean> {
  const executor = db.getExecutor()
  const { rows } = await executor.provideConnection((connection) =>
    connection.executeQuery<{ handle: Handle | null }>(CompiledQuery.raw(HANDLE)),
  )
  return (rows[0]?.handle ?? null) !== null
}
