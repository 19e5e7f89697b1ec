import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import SqliteDriver from 'better-sqlite3'
import { keepStatements } from 'fastify-crud'
import { type Dialect, Kysely, type KyselyPlugin, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type StatementLog, statementLog } from './statement-log.ts'
import { type DatabaseName, emptyTables, type TestKysely } from './tables.ts'

export interface OpenOptions {
  /** Plugins for the Kysely instance, e.g. `CamelCasePlugin`. */
  readonly plugins?: KyselyPlugin[]
  /** PostgreSQL: with `keepStatements`, rather than as the driver comes. Default `true`. */
  readonly kept?: boolean
}

/** A real database of its own, without tables at first. */
export interface OpenDatabase {
  readonly name: DatabaseName
  readonly db: TestKysely
  /** The SQLite file or the PostgreSQL URL, for those who want a second connection. */
  readonly location: string
  readonly statements: StatementLog
  /** Removes all rows of all tables. Ids go on from where they were: a test must not assume them. */
  empty(): Promise<void>
  /** Closes the connections and removes the database. */
  close(): Promise<void>
}

export interface TestDatabase {
  readonly name: DatabaseName
  open(options?: OpenOptions): Promise<OpenDatabase>
}

/** The databases that every test runs on. */
export const databases: readonly TestDatabase[] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
]

async function openSqlite(options: OpenOptions = {}): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(inject('sqliteFolder'), 'database-'))
  const location = join(folder, 'test.sqlite')
  const database = new SqliteDriver(location)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = OFF')
  return opened('sqlite', new SqliteDialect({ database }), location, options, () =>
    rm(folder, { recursive: true, force: true }),
  )
}

let opens = 0

async function openPostgres(options: OpenOptions = {}): Promise<OpenDatabase> {
  opens += 1
  const database = `${inject('postgresPrefix')}${process.pid}_${opens}`
  await onServer(`create database "${database}"`)
  const location = new URL(inject('postgresUrl'))
  location.pathname = `/${database}`
  const { kept = true } = options
  const pool = new pg.Pool({ connectionString: location.href, max: 5 })
  // An idle connection that the server drops must not end the test process.
  pool.on('error', () => {})
  const dialect = new PostgresDialect({ pool: kept ? keepStatements(pool) : pool })
  return opened('postgres', dialect, location.href, options, () =>
    onServer(`drop database if exists "${database}" with (force)`),
  )
}

function opened(
  name: DatabaseName,
  dialect: Dialect,
  location: string,
  options: OpenOptions,
  remove: () => Promise<void>,
): OpenDatabase {
  const statements = statementLog()
  const db: TestKysely = new Kysely({ dialect, plugins: options.plugins ?? [], log: statements.logger })
  return {
    name,
    db,
    location,
    statements,
    empty: () => emptyTables(name, db),
    async close() {
      await db.destroy()
      await remove()
    },
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
