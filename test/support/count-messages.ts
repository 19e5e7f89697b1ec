import type { Pool, PoolClient } from 'pg'

/** Counts the messages of a pool's new connections that the server answers: each ends with Sync. Returns how many there were so far. */
export function countMessages(pool: Pool): () => number {
  let messages = 0
  pool.on('connect', (client) => {
    const { connection } = client as PoolClient & { readonly connection: { sync(): void } }
    const sync = connection.sync.bind(connection)
    connection.sync = () => {
      messages += 1
      sync()
    }
  })
  return () => messages
}
