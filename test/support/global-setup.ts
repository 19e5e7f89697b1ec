import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { LEFT_OUT, withoutPgBouncer } from './pgbouncer.ts'
import { startPostgres } from './postgres/start-postgres.ts'

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

/** Nothing that the tests write has to outlive the machine. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '500',
  shared_buffers: '256MB',
}

/**
 * Runs once before all tests: makes a folder for SQLite files and starts a real PostgreSQL server, or takes the one that
 * `DATABASE_URL` names. Returns what runs after the last test.
 *
 * @throws Error with what the server said, if it does not start.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // Tests start programs of this repository again and again: each would strip and compile the types of 500 files.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')
  const stopPostgres = await providePostgres(project)
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-sqlite-'))
  project.provide('sqliteFolder', folder)
  return async () => {
    await stopPostgres()
    // What a worker that died has left behind goes with it.
    await rm(folder, { recursive: true, force: true })
    if (!process.env.CI && withoutPgBouncer().length > 0) process.stderr.write(`\n${LEFT_OUT}\n`)
  }
}

async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `crud_test_${process.pid}_${Date.now().toString(36)}_`
  project.provide('postgresPrefix', prefix)
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given)
    return () => dropLeftovers(given, prefix)
  }
  const server = await startPostgres({ name: 'fastify-crud-postgres', settings: SETTINGS })
  project.provide('postgresUrl', server.url)
  return server.stop
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
