import { handleOf, isLogged, onAny } from './connections.ts'
import { databaseErrorKind } from './database-errors.ts'
import type { Reads } from './drivers/handle.ts'
import type { AnyKysely } from './query/database.ts'
import type { JsonText, Prepared, Values } from './query/prepare.ts'
import { type FailedTry, persistently } from './transaction.ts'

/**
 * Runs a statement that only reads. What need not be waited for is there at once: to wait nevertheless costs a GET a
 * twentieth.
 */
export type Reader = (query: Prepared, values: Values) => JsonText | Promise<JsonText>

/**
 * Reads on a connection that is free, or on that of the caller's transaction; on SQLite with `directReads` from the
 * database itself, as long as nothing is open on it.
 */
export function readerOf(db: AnyKysely): Reader {
  const any = onAny(db)
  const executor = db.getExecutor()
  let isToBeAsked = !db.isTransaction && executor.adapter.supportsMultipleConnections === false
  let reads: Reads | undefined

  async function ask(): Promise<void> {
    await executor.provideConnection(async (connection) => {
      if (!isLogged(connection)) reads = (await handleOf(connection)).reads
    })
    isToBeAsked = false
  }

  function byKysely(query: Prepared, values: Values, failed?: FailedTry): Promise<JsonText> {
    const read = async () => {
      if (isToBeAsked) await ask()
      return query.json(any, values)
    }
    return persistently(db, read, failed)
  }

  return (query, values) => {
    if (reads?.arePossible !== true) return byKysely(query, values)
    const begun = performance.now()
    try {
      return reads.json(query.sql, query.parameters(values)) as JsonText
    } catch (error) {
      // Another process that is writing may have been waited for already. What else fails may be possible for Kysely.
      return byKysely(query, values, databaseErrorKind(error) === 'busy' ? { error, begun } : undefined)
    }
  }
}
