import SqliteDriver from 'better-sqlite3'
import { keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase, TestDatabase } from './databases.ts'
import { statementLog } from './statement-log.ts'
import { emptyTables, type TestKysely } from './tables.ts'

export interface ConnectionOptions {
  /** SQLite: how long a statement waits for another writer, in ms. Default 5: what comes after that is the service's own wait. */
  readonly sqliteTimeout?: number
  /** PostgreSQL: settings of each session, such as `{ lock_timeout: '50ms' }`. */
  readonly session?: Readonly<Record<string, string>>
  /** PostgreSQL: connections of the pool. Default 5. */
  readonly max?: number
  /** PostgreSQL: with `keepStatements` on a pool with `pipeline`. Default `false`. */
  readonly pipelined?: boolean
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
      return { name, db, location, statements, empty: () => emptyTables(name, db), close: () => db.destroy() }
    },
  }
}

function sqlite(location: string, { sqliteTimeout = 5 }: ConnectionOptions): SqliteDialect {
  const database = new SqliteDriver(location, { timeout: sqliteTimeout })
  database.pragma('synchronous = OFF')
  return new SqliteDialect({ database })
}

function postgres(location: string, { session = {}, max = 5, pipelined = false }: ConnectionOptions): PostgresDialect {
  const options = Object.entries(session)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
  const pool = new pg.Pool({ connectionString: location, max, options, pipeline: pipelined })
  // What an application does that wants to outlive its connections.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return new PostgresDialect({ pool: pipelined ? keepStatements(pool) : pool })
}
