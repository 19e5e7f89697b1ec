import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createTables } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { CHILDREN } from '../records.ts'
import { resources } from '../resources.ts'
import type { BenchDatabase, DatabaseServer } from './bench-database.ts'
import type { PostgresMessage } from './postgres-process.ts'

/** The PostgreSQL server that `DATABASE_URL` names, or one that is started here. */
export async function postgresServer(): Promise<DatabaseServer> {
  const given = process.env.DATABASE_URL
  const { url, stop } = given ? { url: given, stop: async () => {} } : await start()
  return { name: 'postgres', open: (name) => openDatabase(url, `fastify_crud_bench_${process.pid}_${name}`), stop }
}

async function start(): Promise<{ url: string; stop: () => Promise<void> }> {
  // In a process group of its own: Ctrl-C ends the benchmark first, and the server by that.
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

async function openDatabase(serverUrl: string, name: string): Promise<BenchDatabase> {
  await runOn(serverUrl, `create database "${name}"`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 1 })
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  await createTables(db, resources)
  const rowsOf = async (table: string) => {
    const { rows } = await pool.query<{ row: string }>(`select to_json(t)::text as row from ${table} t order by id`)
    return rows.map(({ row }) => row)
  }
  return {
    location: url.href,
    async reset(records) {
      await pool.query('truncate parent, child restart identity')
      await pool.query(
        `insert into parent (name, quantity) select 'parent ' || i, i from generate_series(1, ${records}) i`,
      )
      await pool.query(
        `insert into child (name, quantity, "parentId")
         select 'child ' || i, i, (i - 1) / ${CHILDREN} + 1 from generate_series(1, ${records * CHILDREN}) i`,
      )
      await pool.query('vacuum analyze parent, child')
    },
    rows: async () => ({ parent: await rowsOf('parent'), child: await rowsOf('child') }),
    async remove() {
      await db.destroy()
      await runOn(serverUrl, `drop database if exists "${name}" with (force)`)
    },
  }
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
