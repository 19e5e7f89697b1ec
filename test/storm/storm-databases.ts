import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { TestKysely } from '../support/tables.ts'
import type { RestartMessage } from './postgres-process.ts'
import type { Random } from './random.ts'

/** A database of the storm's own, and what may happen to it meanwhile. */
export interface StormDatabase {
  readonly name: 'sqlite' | 'postgres'
  readonly location: string
  /** For those who make the tables, and look at them at the end. */
  readonly db: TestKysely
  /** Ends some connections of the workers; resolves to how many. */
  drop(random: Random): Promise<number>
  /** Resolves once the server is up again; to `false` where there is none. */
  restart(how: RestartMessage): Promise<boolean>
  close(): Promise<void>
}

export async function openStormSqlite(): Promise<StormDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-storm-'))
  const location = join(folder, 'storm.sqlite')
  const database = new SqliteDriver(location)
  database.pragma('journal_mode = WAL')
  const db: TestKysely = new Kysely({ dialect: new SqliteDialect({ database }) })
  return {
    name: 'sqlite',
    location,
    db,
    drop: async () => 0,
    restart: async () => false,
    async close() {
      await db.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function openStormPostgres(): Promise<StormDatabase> {
  const script = fileURLToPath(new URL('./postgres-process.ts', import.meta.url))
  const server = fork(script, { detached: true, stdio: 'ignore', execArgv: [] })
  const [location] = (await once(server, 'message')) as [string]
  const pool = new pg.Pool({ connectionString: location, max: 2, application_name: 'admin' })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db: TestKysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  return {
    name: 'postgres',
    location,
    db,
    async drop(random) {
      const { rows } = await pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'storm' order by pid",
      )
      const chosen = random.some(rows, 3)
      for (const { pid } of chosen) await pool.query('select pg_terminate_backend($1)', [pid])
      return chosen.length
    },
    async restart(how) {
      const restarted = once(server, 'message')
      server.send(how)
      await restarted
      return true
    },
    async close() {
      await db.destroy()
      const exit = once(server, 'exit')
      server.disconnect()
      await exit
    },
  }
}
