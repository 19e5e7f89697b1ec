import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { PostgresMessage } from './postgres-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server on which the tests may create and drop databases of their own. */
    postgresUrl: string
    /** What the names of this run's databases start with. */
    postgresPrefix: string
    /** The folder for this run's SQLite files. */
    sqliteFolder: string
  }
}

/**
 * Runs once before all tests: makes a folder for SQLite files and starts a real PostgreSQL server, or takes the one that
 * `DATABASE_URL` names. Returns what runs after the last test.
 *
 * @throws Error with what the server said, if it does not start.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-sqlite-'))
  project.provide('sqliteFolder', folder)
  const stopPostgres = await startPostgres(project)
  return async () => {
    await stopPostgres()
    // What a worker that died has left behind goes with it.
    await rm(folder, { recursive: true, force: true })
  }
}

async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `crud_test_${process.pid}_${Date.now().toString(36)}_`
  project.provide('postgresPrefix', prefix)
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given)
    return () => dropLeftovers(given, prefix)
  }
  const server = await startServer()
  project.provide('postgresUrl', server.url)
  return server.stop
}

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  // In a process group of its own: Ctrl-C ends the tests first, and the server by that.
  const child = fork(fileURLToPath(new URL('./postgres-process.ts', import.meta.url)), {
    detached: true,
    stdio: 'ignore',
    execArgv: [],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    if (child.connected) child.disconnect()
    await exit
  }
  const message = await new Promise<PostgresMessage>((resolve) => {
    child.once('message', (sent: PostgresMessage) => resolve(sent))
    child.once('error', (error) => resolve({ failure: error.message }))
    child.once('exit', (code) => resolve({ failure: `its process ended with code ${code}` }))
  })
  if ('url' in message) return { url: message.url, stop }
  await stop()
  throw new Error(`PostgreSQL did not start:\n${message.failure}`)
}

/** A worker that died could not drop its database; a server that is not ours must not keep it. */
async function dropLeftovers(url: string, prefix: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const found = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of found.rows) await client.query(`drop database if exists "${datname}" with (force)`)
  } finally {
    await client.end()
  }
}
