/** `outbox-worker.ts <sqlite | postgres> <location>`: a worker that takes rows of an outbox, says so, and never gets done. */
import { readOutbox } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'

const [name, location = ''] = process.argv.slice(2)
const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)

// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

await readOutbox(db, 'outbox', async (rows: readonly unknown[]) => {
  process.send?.(rows.length)
  await new Promise(() => {})
})
