import SqliteDriver from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { Model } from '../model/model.ts'
import type { TablesOf } from '../model/types/tables-of.ts'
import type { NodeSqlite } from './node-sqlite.ts'
import { checkOpened, kyselyOnSqlite, notADatabase } from './open-node-sqlite.ts'
import { type WithResources, warnByProcess } from './open-options.ts'
import { type OpenSqliteOptions, readersFor, sqliteDriverOptions } from './readers-for.ts'
import { applyPragmas, type SqliteDatabase } from './sqlite-pragmas.ts'

export type { NodeSqlite } from './node-sqlite.ts'
export type { OpenOptions, WithResources } from './open-options.ts'
export type { OpenSqliteOptions } from './readers-for.ts'
export type { Pragmas, SqliteDatabase } from './sqlite-pragmas.ts'

/**
 * Opens a SQLite database for the service and for queries of your own.
 *
 * Takes a file, `':memory:'`, or a better-sqlite3 database or a `DatabaseSync` of `node:sqlite`, which keep their
 * settings. Returns a Kysely instance that keeps its prepared statements and asks the database directly. With
 * `resources` it has the tables of the model. `destroy()` closes the database.
 *
 * @throws TypeError for what is neither a file nor a database; and better-sqlite3's own error if the file cannot be
 * opened.
 *
 * @example
 * const db = openSqlite('lists.sqlite', { resources })
 */
export function openSqlite<M extends Model>(
  database: string | SqliteDatabase | NodeSqlite,
  options: OpenSqliteOptions & WithResources<M>,
): Kysely<TablesOf<M, 'sqlite'>>
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own type for a database whose tables are not known
export function openSqlite<Tables = any>(
  database: string | SqliteDatabase | NodeSqlite,
  options?: OpenSqliteOptions,
): Kysely<Tables>
export function openSqlite<Tables>(
  given: string | SqliteDatabase | NodeSqlite,
  options: OpenSqliteOptions = {},
): Kysely<Tables> {
  // A database that is open already may have functions of the application's own, which no thread has.
  if (typeof given === 'object') return kyselyOnSqlite(checkOpened(given, options), options)
  const database = openFile(checkFile(given), options)
  return kyselyOnSqlite(database, options, readersFor(database, options))
}

/** Below, better-sqlite3 ends the process with a segmentation fault. */
const FIRST_NODE = 22

function refuseOldNode(): void {
  const { node: version } = process.versions
  if (Number.parseInt(version, 10) >= FIRST_NODE) return
  throw new Error(`openSqlite: better-sqlite3 runs on Node.js ${FIRST_NODE} or later, and this is ${version}`)
}

function openFile(file: string, options: OpenSqliteOptions): SqliteDatabase {
  const { pragmas = {}, warn = warnByProcess } = options
  refuseOldNode()
  const database = new SqliteDriver(file, sqliteDriverOptions(options))
  try {
    applyPragmas(database, pragmas, warn)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

function checkFile(file: unknown): string {
  if (typeof file !== 'string' || file === '') throw notADatabase()
  // SQLite would make a file of that name.
  if (/^(?:\w+:\/\/|file:)/i.test(file))
    throw new TypeError(`openSqlite: needs the path of a file, not a URL (${file.slice(0, file.indexOf(':'))}:)`)
  return file
}
