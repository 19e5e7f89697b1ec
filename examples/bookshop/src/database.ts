import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import SqliteDriver from 'better-sqlite3'
import { keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { StartError } from './explain-failure.ts'

/** Beside the sources: the records are still there after a restart. */
const defaultUrl = new URL('../data/bookshop.sqlite', import.meta.url).href

export interface Database {
  readonly db: Kysely<unknown>
  /** Where the records are, in words that may be printed: no password. */
  readonly place: string
}

/**
 * Opens the database that a URL names: `file:///…` is a SQLite file, which is made if there is none, `postgres://…` a
 * PostgreSQL database.
 *
 * `onLost` hears about connections that broke while nobody used them; the pool replaces them.
 *
 * @throws StartError for any other URL.
 */
export function openDatabase(url: string | undefined, onLost: (error: Error) => void): Database {
  const parsed = URL.parse(url || defaultUrl)
  switch (parsed?.protocol) {
    case 'file:':
      return openSqlite(fileURLToPath(parsed))
    case 'postgres:':
    case 'postgresql:':
      return openPostgres(parsed, onLost)
    default:
      throw new StartError(
        'DATABASE_URL is neither postgres://user:password@host/database nor file:///folder/name.sqlite.',
      )
  }
}

function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true })
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  database.pragma('busy_timeout = 5000')
  const dialect = new SqliteDialect({ database: keepStatements(database, { direct: true }) })
  return { db: new Kysely({ dialect }), place: file }
}

function openPostgres(url: URL, onLost: (error: Error) => void): Database {
  const pool = new pg.Pool({ connectionString: url.href })
  pool.on('error', onLost)
  const dialect = new PostgresDialect({ pool: keepStatements(pool) })
  return { db: new Kysely({ dialect }), place: `${url.host}${url.pathname}` }
}
