import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDriver from 'better-sqlite3'
import { type Dialect, Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres/start-postgres.ts'
import { CHILDREN } from './resources.ts'

export const DATABASES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export type DatabaseName = keyof typeof DATABASES

/** As durable as SQLite with `synchronous = NORMAL`. No checkpoint and no vacuum falls into one side's run. */
const SETTINGS = {
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
  shared_buffers: '256MB',
}

/**
 * SQLite files in a temporary folder; or databases on the PostgreSQL that `DATABASE_URL` names, else on one that is started. Each
 * `create` resolves to the file or URL of a new, empty one.
 */
export async function startDatabases(name: DatabaseName) {
  let created = 0
  if (name === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-bench-'))
    return {
      create: async () => join(folder, `${++created}.sqlite`),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    }
  }
  const given = process.env.DATABASE_URL
  const server = given ? undefined : await startPostgres({ name: 'fastify-crud-bench', settings: SETTINGS })
  const url = new URL(given ?? server?.url ?? '')
  const admin = new pg.Client(url.href)
  await admin.connect()
  const nameOf = (number: number) => `fastify_crud_bench_${process.pid}_${number}`
  return {
    async create() {
      created += 1
      await admin.query(`create database ${nameOf(created)}`)
      return Object.assign(new URL(url), { pathname: nameOf(created) }).href
    },
    async [Symbol.asyncDispose]() {
      for (; created > 0; created--) await admin.query(`drop database ${nameOf(created)} with (force)`)
      await admin.end()
      await server?.stop()
    },
  }
}

export const isPostgres = (location: string): boolean => location.startsWith('postgres')

/** A database with its driver's defaults, and on SQLite with the settings of `openSqlite`. */
export function dialectOf(location: string): Dialect {
  if (isPostgres(location)) return new PostgresDialect({ pool: new pg.Pool({ connectionString: location }) })
  return new SqliteDialect({ database: openFile(location) })
}

export function openFile(file: string): SqliteDriver.Database {
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  return database
}

/** Leaves exactly the records 1 to `records` with their children, in as little space as they need. */
export async function seed(location: string, records: number): Promise<void> {
  await using db = new Kysely({ dialect: dialectOf(location) })
  const parents = `'parent ' || i, i`
  const children = `'child ' || i, i, (i - 1) / ${CHILDREN} + 1`
  const numbers = (last: number) => `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${last})`
  const statements = isPostgres(location)
    ? [
        'truncate parent, child restart identity',
        `insert into parent (name, quantity) select ${parents} from generate_series(1, ${records}) i`,
        `insert into child (name, quantity, parent_id)
         select ${children} from generate_series(1, ${records * CHILDREN}) i`,
        'vacuum analyze parent, child',
      ]
    : [
        'delete from child',
        'delete from parent',
        `${numbers(records)} insert into parent (id, name, quantity) select i, ${parents} from n`,
        `${numbers(records * CHILDREN)} insert into child (id, name, quantity, parent_id) select i, ${children} from n`,
        'vacuum',
        'pragma wal_checkpoint(truncate)',
      ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
