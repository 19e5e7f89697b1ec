import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { type FoundPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { type RestartKind, startPostgres } from '../support/postgres/start-postgres.ts'
import type { TestKysely } from '../support/tables.ts'
import type { Random } from './random.ts'
import { pooledWays, postgresWays, sqliteWays, type Way } from './ways.ts'

/** A database of the storm's own, and what may happen to it meanwhile. */
export interface StormDatabase {
  readonly location: string
  /** How its workers are connected, in turn. */
  readonly ways: readonly Way[]
  /** For those who make the tables, and look at them at the end. */
  readonly db: TestKysely
  /** Ends some connections of the workers; resolves to how many. */
  drop(random: Random): Promise<number>
  /** Resolves once the server is up again; to `false` where there is none. */
  restart(how: RestartKind): Promise<boolean>
  close(): Promise<void>
}

export async function openStormSqlite(): Promise<StormDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-storm-'))
  const location = join(folder, 'storm.sqlite')
  const database = new SqliteDriver(location)
  database.pragma('journal_mode = WAL')
  const db: TestKysely = new Kysely({ dialect: new SqliteDialect({ database }) })
  return {
    location,
    ways: sqliteWays(location),
    db,
    drop: async () => 0,
    restart: async () => false,
    async close() {
      await db.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What was committed is with the operating system by then: that is safe as long as the machine is. */
const SETTINGS = { fsync: 'off', deadlock_timeout: '100ms', max_connections: '100' }

export async function openStormPostgres(): Promise<StormDatabase> {
  const server = await startPostgres({ name: 'fastify-crud-storm', settings: SETTINGS })
  const { url: location } = server
  const pool = new pg.Pool({ connectionString: location, max: 2, application_name: 'admin' })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db: TestKysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  return {
    location,
    ways: postgresWays(location),
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
      await server.restart(how)
      return true
    },
    async close() {
      await db.destroy()
      await server.stop()
    },
  }
}

/** PostgreSQL behind two poolers: one that knows no named statements, and one that keeps some, if it can. */
export async function openStormPooled({ keepsStatements }: FoundPgBouncer): Promise<StormDatabase> {
  const postgres = await openStormPostgres()
  const plain = await startPgBouncer(postgres.location, keepsStatements ? 0 : undefined)
  const kept = keepsStatements ? await startPgBouncer(postgres.location, 200) : undefined
  return {
    ...postgres,
    ways: pooledWays(plain.url, kept?.url),
    async close() {
      await plain.stop()
      await kept?.stop()
      await postgres.close()
    },
  }
}
