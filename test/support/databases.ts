import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import SqliteDriver from 'better-sqlite3'
import { defineEngine, type PostgresEngine } from 'fastify-crud'
import { type OpenPostgresOptions, openPostgres as openKeptPostgres } from 'fastify-crud/postgres'
import { openSqlite as openKeptSqlite } from 'fastify-crud/sqlite'
import { Kysely, type KyselyPlugin, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { havePartitions } from './have-partitions.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { takePostgresDatabase } from './postgres-database.ts'
import { type StatementLog, statementLog } from './statement-log.ts'
import { type DatabaseName, emptyTables, type TestKysely } from './tables.ts'
import { sessionOptions, testEngine, testSession } from './test-engine.ts'

export interface OpenOptions {
  /** Plugins for the Kysely instance, e.g. `CamelCasePlugin`. */
  readonly plugins?: KyselyPlugin[]
  /** By `openSqlite` or `openPostgres`, rather than as the driver comes. Default: on PostgreSQL. */
  readonly kept?: boolean
  /** What PostgreSQL is taken for. Default: as `TEST_ENGINE` says. */
  readonly engine?: Partial<PostgresEngine>
  /** PostgreSQL: a database that has the tables of this model already will do, too. */
  readonly tablesOf?: object
}

/** A real database of its own, without tables at first. */
export interface OpenDatabase {
  readonly name: DatabaseName
  readonly db: TestKysely
  /** The SQLite file or the PostgreSQL URL, for those who want a second connection. */
  readonly location: string
  readonly statements: StatementLog
  /** Whether the tables of `tablesOf` are there. */
  readonly hasTables?: boolean
  /** To be called when they are: a later test may get them. */
  readonly keepTables?: () => Promise<void>
  /** Has the tables as they were then, unless something else than rows has changed: resolves to whether it did. */
  readonly renew?: () => Promise<boolean>
  /** Removes all rows of all tables. Ids go on from where they were: a test must not assume them. */
  empty(): Promise<void>
  /** Closes the connections and removes all that is in the database. */
  close(): Promise<void>
}

export interface TestDatabase {
  readonly name: DatabaseName
  open(options?: OpenOptions): Promise<OpenDatabase>
}

export const databases: readonly TestDatabase[] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
]

export interface Setup extends TestDatabase {
  readonly title: string
  /** The store asks the SQLite database itself. */
  readonly isDirect: boolean
  /** Statements of PostgreSQL go to the server several at a time. */
  readonly isBatched: boolean
}

const allSetups: readonly Setup[] = [
  { name: 'sqlite', title: 'sqlite', isDirect: false, isBatched: false, open: openSqlite },
  {
    name: 'sqlite',
    title: 'sqlite, direct',
    isDirect: true,
    isBatched: false,
    open: (options) => openSqlite({ ...options, kept: true }),
  },
  { name: 'postgres', title: 'postgres', isDirect: false, isBatched: true, open: openPostgres },
  {
    name: 'postgres',
    title: 'postgres, plain pool',
    isDirect: false,
    isBatched: false,
    open: (options) => openPostgres({ ...options, kept: false }),
  },
]

/** The ways to set them up. */
export const setups: readonly Setup[] = allSetups.filter(
  ({ name }) => name === 'postgres' || !(havePartitions || testEngine),
)

/** Those of `openSqlite` and `openPostgres`, which the README has. */
export const openedSetups: readonly Setup[] = setups.filter(({ isDirect, isBatched }) => isDirect || isBatched)

async function openSqlite({ kept = false, plugins = [] }: OpenOptions = {}): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(inject('sqliteFolder'), 'database-'))
  const location = join(folder, 'test.sqlite')
  const statements = statementLog()
  const db: TestKysely = kept
    ? // A log of Kysely's would have every statement come by there.
      openKeptSqlite(location, {
        plugins,
        verbose: (text) => statements.note(String(text)),
        pragmas: { synchronous: 'off' },
      })
    : new Kysely({ dialect: plainSqlite(location), plugins, log: statements.logger })
  const database = opened('sqlite', db, statements, location, () => rm(folder, { recursive: true, force: true }))
  return { ...database, ...sqliteTables(db) }
}

/** Tables whose ids may begin anew. */
function sqliteTables(db: TestKysely): Required<Pick<OpenDatabase, 'keepTables' | 'renew'>> {
  const plain = db.withoutPlugins()
  const version = async () => JSON.stringify((await sql`pragma schema_version`.execute(plain)).rows)
  const counters = async () => {
    const { rows } = await sql`select name from sqlite_master where name = 'sqlite_sequence'`.execute(plain)
    return rows.length > 0
      ? (await sql<{ name: string; seq: number }>`select * from sqlite_sequence`.execute(plain)).rows
      : undefined
  }
  let made: { readonly version: string; readonly counters: Awaited<ReturnType<typeof counters>> } | undefined
  return {
    async keepTables() {
      made = { version: await version(), counters: await counters() }
    },
    async renew() {
      if (made === undefined || (await version()) !== made.version) return false
      await emptyTables('sqlite', db)
      if (made.counters === undefined) return true
      await sql`delete from sqlite_sequence`.execute(plain)
      for (const { name, seq } of made.counters)
        await sql`insert into sqlite_sequence (name, seq) values (${name}, ${seq})`.execute(plain)
      return true
    },
  }
}

function plainSqlite(file: string): SqliteDialect {
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = OFF')
  return new SqliteDialect({ database })
}

async function openPostgres({
  kept = true,
  plugins = [],
  engine = testEngine,
  tablesOf,
}: OpenOptions = {}): Promise<OpenDatabase> {
  const { url, giveBack, ...tables } = await takePostgresDatabase(tablesOf)
  const statements = statementLog()
  const options = { plugins, log: statements.logger }
  // A busy machine may take longer than a server should. That a test drops connections is no news to it.
  const settings = { max: 5, statement_timeout: 0, lock_timeout: 0, warn: () => {} }
  const { db, stop }: Opened = kept
    ? await openKept(url, { ...options, ...settings, ...(engine && { engine }) })
    : { db: engineSaid(new Kysely({ dialect: plainPostgres(url), ...options }), engine), stop: async () => {} }
  const database = opened('postgres', db, statements, url, async () => {
    await stop()
    await giveBack()
  })
  return { ...database, ...tables }
}

/** With the variable `TEST_POOLER` of the environment, there is a PgBouncer between the service and PostgreSQL. */
async function openKept(url: string, given: OpenPostgresOptions): Promise<Opened> {
  if (process.env.TEST_POOLER !== 'true') {
    return { db: openKeptPostgres(url, { ...given, options: sessionOptions(testSession) }), stop: async () => {} }
  }
  const { statement_timeout, lock_timeout, ...options } = given
  const pgbouncer = await startPgBouncer(url)
  return { db: openKeptPostgres(pgbouncer.url, { ...options, pooler: true }), stop: pgbouncer.stop }
}

interface Opened {
  readonly db: TestKysely
  /** Ends what stands between. */
  readonly stop: () => Promise<void>
}

function engineSaid(db: TestKysely, engine: Partial<PostgresEngine> | undefined): TestKysely {
  if (engine !== undefined) defineEngine(db, engine)
  return db
}

function plainPostgres(url: string): PostgresDialect {
  const pool = new pg.Pool({ connectionString: url, max: 5, options: sessionOptions(testSession) })
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}

function opened(
  name: DatabaseName,
  db: TestKysely,
  statements: StatementLog,
  location: string,
  remove: () => Promise<void>,
): OpenDatabase {
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
