import { createTables } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { startPostgres } from '../../../test/support/postgres/start-postgres.ts'
import { CHILDREN } from '../records.ts'
import { resources } from '../resources.ts'
import type { BenchDatabase, DatabaseServer } from './bench-database.ts'

/**
 * As durable as SQLite with `synchronous = NORMAL`: a power failure can take the last moments, but leaves nothing
 * broken. No checkpoint and no vacuum falls into one side's run.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '256MB',
}

/** The PostgreSQL server that `DATABASE_URL` names, or one that is started here. */
export async function postgresServer(): Promise<DatabaseServer> {
  const given = process.env.DATABASE_URL
  const { url, stop } = given
    ? { url: given, stop: async () => {} }
    : await startPostgres({ name: 'fastify-crud-bench-postgres', settings: SETTINGS })
  return { name: 'postgres', open: (name) => openDatabase(url, `fastify_crud_bench_${process.pid}_${name}`), stop }
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
