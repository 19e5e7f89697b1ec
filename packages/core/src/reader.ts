import { handleOf, isLogged, onAny } from './connections.ts'
import type { Reads } from './drivers/handle.ts'
import type { AnyKysely } from './query/database.ts'
import type { JsonText, Prepared, Values } from './query/prepare.ts'
import { persistently } from './transaction.ts'

/** Runs a statement that only reads. What need not be waited for is there at once. */
export type Reader = (query: Prepared, values: Values) => JsonText | Promise<JsonText>

/**
 * Reads on a connection that is free, or on that of the caller's transaction; on SQLite with `directReads` from the
 * database itself, as long as nothing is open on it.
 */
export function readerOf(db: AnyKysely): Reader {
  const any = onAny(db)
  const executor = db.getExecutor()
  let isAsked = db.isTransaction || executor.adapter.supportsMultipleConnections !== false
  let reads: Reads | undefined

  async function ask(): Promise<void> {
    await executor.provideConnection(async (connection) => {
      if (!isLogged(connection)) reads = (await handleOf(connection)).reads
    })
    isAsked = true
  }

  function byKysely(query: Prepared, values: Values): Promise<JsonText> {
    return persistently(db, async () => {
      if (!isAsked) await ask()
      return query.json(any, values)
    })
  }

  return (query, values) => {
    if (reads?.arePossible !== true) return byKysely(query, values)
    try {
      return reads.json(query.sql, query.parameters(values)) as JsonText
    } catch {
      // Another process may be writing: that is waited for, and anything else fails again.
      return byKysely(query, values)
    }
  }
}
