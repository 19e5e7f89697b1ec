import SqliteDriver from 'better-sqlite3'
import { defineEngine, keepStatements, type PostgresEngine } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase, TestDatabase } from './databases.ts'
import { statementLog } from './statement-log.ts'
import { emptyTables, type TestKysely } from './tables.ts'
import { sessionOptions, testEngine, testSession } from './test-engine.ts'

export interface ConnectionOptions {
  /** SQLite: how long a statement waits for another writer, in ms. Default 5: what comes after that is the service's own wait. */
  readonly sqliteTimeout?: number
  /** PostgreSQL: settings of each session, such as `{ lock_timeout: '50ms' }`. */
  readonly session?: Readonly<Record<string, string>>
  /** PostgreSQL: connections of the pool. Default 5. */
  readonly max?: number
  /** PostgreSQL: with `keepStatements`. Default `false`. */
  readonly kept?: boolean
  /** PostgreSQL: how long the driver waits for an answer, in ms. Default: for ever. */
  readonly patience?: number
  /** PostgreSQL: how long to wait for a connection, in ms. Default: for ever. */
  readonly connectionTimeoutMillis?: number
  /** PostgreSQL: a port to connect to in place of the server's own. */
  readonly port?: number
  /** What PostgreSQL is taken for. Default: as `TEST_ENGINE` says. */
  readonly engine?: Partial<PostgresEngine>
}

/**
 * A database that is open already, to be opened once more with connections of its own: what a second server, or one with
 * other settings, sees. Closing it leaves the database there.
 */
export function sameDatabase(first: OpenDatabase, options: ConnectionOptions = {}): TestDatabase {
  const { name, location } = first
  return {
    name,
    async open({ plugins = [] } = {}) {
      const statements = statementLog()
      const dialect = name === 'sqlite' ? sqlite(location, options) : postgres(location, options)
      const db: TestKysely = new Kysely({ dialect, plugins, log: statements.logger })
      const { engine = testEngine } = options
      if (engine !== undefined && name === 'postgres') defineEngine(db, engine)
      return { name, db, location, statements, empty: () => emptyTables(name, db), close: () => db.destroy() }
    },
  }
}

function sqlite(location: string, { sqliteTimeout = 5 }: ConnectionOptions): SqliteDialect {
  const database = new SqliteDriver(location, { timeout: sqliteTimeout })
  database.pragma('synchronous = OFF')
  return new SqliteDialect({ database })
}

function postgres(location: string, options: ConnectionOptions): PostgresDialect {
  const { session = {}, max = 5, kept = false, patience, connectionTimeoutMillis, port } = options
  const url = new URL(location)
  if (port !== undefined) url.host = `127.0.0.1:${port}`
  const pool = new pg.Pool({
    connectionString: url.href,
    max,
    options: sessionOptions({ ...testSession, ...session }),
    ...(patience !== undefined && { query_timeout: patience }),
    ...(connectionTimeoutMillis !== undefined && { connectionTimeoutMillis }),
  })
  // What an application does that wants to outlive its connections.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return new PostgresDialect({ pool: kept ? keepStatements(pool) : pool })
}
