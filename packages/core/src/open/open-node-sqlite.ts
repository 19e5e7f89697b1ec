import type { Kysely } from 'kysely'
import type { Model } from '../model/model.ts'
import type { TablesOf } from '../model/types/tables-of.ts'
import { keepSqlite } from '../session/drivers/keep-statements.ts'
import { rememberFunctions } from '../sql/dialect/sqlite/sqlite-functions.ts'
import { isNodeSqlite, likeBetterSqlite, type NodeSqlite } from './node-sqlite.ts'
import { driverOptions, kyselyOn, type OpenOptions, refuseSettings, type WithResources } from './open-options.ts'
import type { OpenSqliteOptions, ReaderThreads } from './readers-for.ts'
import { SqliteDialectWithReaders } from './readers-for.ts'
import type { SqliteDatabase } from './sqlite-pragmas.ts'
import { registerFunctions } from './sqlite-pragmas.ts'

export type { NodeSqlite } from './node-sqlite.ts'

/** A `DatabaseSync` keeps its settings. */
export type OpenNodeSqliteOptions = OpenOptions & Pick<OpenSqliteOptions, 'direct'>

/**
 * Opens a database of `node:sqlite`, which is part of Node.js, so that better-sqlite3 need not be installed. The
 * database keeps its settings.
 *
 * Returns a Kysely instance, as `openSqlite` does. `destroy()` closes the database.
 *
 * @throws TypeError for what is no `DatabaseSync`, and for Node.js before 22.16.
 *
 * @example
 * const db = openNodeSqlite(new DatabaseSync('lists.sqlite', { timeout: 500 }), { resources })
 */
export function openNodeSqlite<M extends Model>(
  database: NodeSqlite,
  options: OpenNodeSqliteOptions & WithResources<M>,
): Kysely<TablesOf<M, 'sqlite'>>
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own type for a database whose tables are not known
export function openNodeSqlite<Tables = any>(database: NodeSqlite, options?: OpenNodeSqliteOptions): Kysely<Tables>
export function openNodeSqlite<Tables>(database: NodeSqlite, options: OpenNodeSqliteOptions = {}): Kysely<Tables> {
  return kyselyOnSqlite(checkOpened(database, options), options)
}

/**
 * A database that is open already, as better-sqlite3 would have it.
 *
 * @throws TypeError for another driver, and for settings.
 */
export function checkOpened(database: SqliteDatabase | NodeSqlite, options: OpenSqliteOptions): SqliteDatabase {
  if (typeof database !== 'object' || database === null) throw notADatabase()
  const opened = isNodeSqlite(database) ? likeBetterSqlite(database) : database
  const isLikeIt = typeof opened.prepare === 'function' && typeof opened.inTransaction === 'boolean'
  if (!isLikeIt) throw notADatabase(opened)
  refuseSettings(driverOptions(options, ['direct']), 'openSqlite', 'a database that is open already')
  return opened
}

export function notADatabase(given?: object): TypeError {
  const name = given?.constructor?.name
  const but = name === undefined || name === 'Object' ? '' : `, not the ${name} of another driver`
  return new TypeError(
    `openSqlite: needs the path of a file, ':memory:', a better-sqlite3 database, or a DatabaseSync of node:sqlite${but}`,
  )
}

export function kyselyOnSqlite<Tables>(
  database: SqliteDatabase,
  options: OpenSqliteOptions,
  readers?: ReaderThreads,
): Kysely<Tables> {
  const { direct = true } = options
  const db = kyselyOn<Tables>(new SqliteDialectWithReaders(keepSqlite(database, { direct }, readers), readers), options)
  if (registerFunctions(database)) rememberFunctions(db)
  return db
}
