import SqliteDriver from 'better-sqlite3'
import { type Kysely, SqliteDialect } from 'kysely'
import { keepStatements } from '../connection/drivers/keep-statements.ts'
import type { Descriptors } from '../model/descriptors.ts'
import type { Model } from '../model/model.ts'
import { rememberFunctions } from '../query/dialect/sqlite-functions.ts'
import type { TablesOf } from '../tables/tables-of.ts'
import {
  driverOptions,
  kyselyOn,
  type OpenOptions,
  refuseSettings,
  type WithResources,
  warnByProcess,
} from './open-options.ts'
import { registerFunctions } from './register-functions.ts'
import { applyPragmas, type Pragmas, type SqliteDatabase } from './sqlite-pragmas.ts'

export type { OpenOptions, WithResources } from './open-options.ts'
export type { Pragmas, SqliteDatabase } from './sqlite-pragmas.ts'

/**
 * While SQLite waits for another process, nothing else in this one runs. So it is short, and the store tries again by
 * itself for some seconds.
 */
const BUSY_TIMEOUT_MS = 500

/** Kysely's options and those of better-sqlite3. A database that is open already takes `direct` and {@link OpenOptions} only. */
export interface OpenSqliteOptions extends OpenOptions {
  /**
   * The service asks the database itself where nothing is open on it, rather than wait for Kysely's one connection. `false` if
   * something of yours wraps that connection to see every statement. Default `true`.
   */
  readonly direct?: boolean
  /** SQLite's settings. Default: `journal_mode` WAL, `synchronous` NORMAL (FULL without WAL), `foreign_keys` on. */
  readonly pragmas?: Pragmas
  /** How long a statement waits for another process that writes, in ms. Default 500. */
  readonly timeout?: number
  /** Default `false`. */
  readonly readonly?: boolean
  /** Fails if the file is not there, rather than make it. Default `false`. */
  readonly fileMustExist?: boolean
  /** Is given the text of every statement. */
  readonly verbose?: (message?: unknown, ...more: unknown[]) => void
  /** Where better-sqlite3's binary is, if not in its package. */
  readonly nativeBinding?: string
}

/**
 * Opens a SQLite database for the service and for queries of your own.
 *
 * Takes a file, `':memory:'`, or a better-sqlite3 database, which keeps its settings. Returns a Kysely instance that keeps its
 * prepared statements and asks the database directly. With `resources` it has the tables of the model. `destroy()` closes the
 * database.
 *
 * @throws TypeError for what is neither a file nor a database; and better-sqlite3's own error if the file cannot be opened.
 *
 * @example
 * const db = openSqlite('lists.sqlite', { resources })
 */
export function openSqlite<D extends Descriptors>(
  database: string | SqliteDatabase,
  options: OpenSqliteOptions & WithResources<D>,
): Kysely<TablesOf<Model<D>, 'sqlite'>>
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own type for a database whose tables are not known
export function openSqlite<Tables = any>(database: string | SqliteDatabase, options?: OpenSqliteOptions): Kysely<Tables>
export function openSqlite<Tables>(given: string | SqliteDatabase, options: OpenSqliteOptions = {}): Kysely<Tables> {
  const database = typeof given === 'object' ? opened(given, options) : openFile(checkFile(given), options)
  const dialect = new SqliteDialect({ database: keepStatements(database, { direct: options.direct ?? true }) })
  const db = kyselyOn<Tables>(dialect, options)
  if (registerFunctions(database)) rememberFunctions(db)
  return db
}

function opened(database: SqliteDatabase, options: OpenSqliteOptions): SqliteDatabase {
  if (typeof database?.prepare !== 'function') throw notADatabase()
  refuseSettings(driverOptions(options, ['direct']), 'openSqlite', 'a database that is open already')
  return database
}

function openFile(file: string, options: OpenSqliteOptions): SqliteDatabase {
  const { pragmas = {}, warn = warnByProcess } = options
  const database = new SqliteDriver(file, {
    timeout: BUSY_TIMEOUT_MS,
    ...driverOptions(options, ['direct', 'pragmas']),
  })
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
    throw new TypeError(`openSqlite: takes the path of a file, not a URL (${file.slice(0, file.indexOf(':'))}:)`)
  return file
}

function notADatabase(): TypeError {
  return new TypeError("openSqlite: takes the path of a file, ':memory:', or a better-sqlite3 database")
}
