/**
 * The process that holds a PostgreSQL server: it sends the server's URL to its parent, restarts the server at each message,
 * and ends with the server and its files as soon as the parent is gone. What it prints tells why it failed.
 */
import { once } from 'node:events'
import { openServer } from './open-server.ts'
import type { RestartKind } from './start-postgres.ts'

const isOver = Promise.race([once(process, 'disconnect'), once(process, 'SIGTERM')])
try {
  const server = await openServer(JSON.parse(process.argv[2] as string))
  process.on('message', (how: RestartKind) => server.restart(how).then(() => tell('restarted'), fail))
  tell(server.url)
  await isOver
  await server.close()
} catch (error) {
  fail(error)
}

function tell(message: string): void {
  if (process.connected) process.send?.(message)
}

/** Whoever still waits for a message is told by the end of this process. */
function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
  if (process.connected) process.disconnect()
}
