import { type Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Model } from '../model/model.ts'
import type { TablesOf } from '../model/types/tables-of.ts'
import { keepStatements } from '../session/drivers/keep-statements.ts'
import { defineEngine, type PostgresEngine } from '../sql/dialect/postgres/engine.ts'
import {
  driverOptions,
  kyselyOn,
  type OpenOptions,
  refuseSettings,
  type WithResources,
  warnByProcess,
} from './open-options.ts'
import type { PostgresPool } from './postgres-options.ts'
import { explainRefusedSettings, forPooler, type PostgresOptions, withDefaults } from './postgres-options.ts'

export type { PostgresEngine } from '../sql/dialect/postgres/engine.ts'
export type { OpenOptions, WithResources } from './open-options.ts'
export type { PostgresClient, PostgresOptions, PostgresPool } from './postgres-options.ts'
export { type PostgresTypes, postgresTypes } from './postgres-options.ts'

/** Kysely's options and those of `pg`. A pool that is open already takes {@link OpenOptions} only. */
export interface OpenPostgresOptions extends OpenOptions, PostgresOptions {
  /**
   * `true`: there is a pooler in transaction mode before the server, such as PgBouncer. It gets no named statements and
   * no settings, which it could not keep for a client. Bound statements by settings of the role instead, as
   * `statement_timeout`.
   */
  readonly pooler?: boolean
  /** What the server lacks if it is not PostgreSQL itself, or `{ isolation: 'serializable' }`. `docs/engines.md` has
   * the facts. Default: nothing. */
  readonly engine?: Partial<PostgresEngine>
}

/**
 * Opens a PostgreSQL database for the service and for queries of your own. It connects when the first query needs it.
 *
 * Takes a URL, the options of `pg`, or a pool of `pg`, which keeps its settings. Returns a Kysely instance that keeps
 * its prepared statements and sends several in one message. With `resources` it has the tables of the model.
 * `destroy()` ends the pool. A connection that is lost while it is idle is replaced, and `warn` is called.
 *
 * @throws TypeError for what is none of these, such as a variable of the environment that is not set.
 *
 * @example
 * const db = openPostgres('postgres://ada@localhost/lists', { resources, max: 20 })
 */
export function openPostgres<M extends Model>(
  database: string | URL | PostgresOptions | PostgresPool | undefined,
  options: OpenPostgresOptions & WithResources<M>,
): Kysely<TablesOf<M, 'postgres'>>
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own type for a database whose tables are not known
export function openPostgres<Tables = any>(
  database: string | URL | PostgresOptions | PostgresPool | undefined,
  options?: OpenPostgresOptions,
): Kysely<Tables>
export function openPostgres<Tables>(
  database: string | URL | PostgresOptions | PostgresPool | undefined,
  options: OpenPostgresOptions = {},
): Kysely<Tables> {
  const { warn = warnByProcess, pooler = false } = options
  const pool = poolOf(database, options)
  // Without a listener such an error would end the process.
  pool.on('error', (error) => warn(lostConnection(error)))
  const kept = keepStatements(explainRefusedSettings(pool), { warn, named: !pooler })
  const db = kyselyOn<Tables>(new PostgresDialect({ pool: kept }), options)
  if (options.engine !== undefined) defineEngine(db, options.engine)
  return db
}

function poolOf(database: unknown, options: OpenPostgresOptions): PostgresPool {
  const settings: PostgresOptions = driverOptions(options, ['pooler', 'engine'])
  const openPool = (given: PostgresOptions): PostgresPool =>
    new pg.Pool(options.pooler === true ? forPooler(given) : withDefaults(given))
  if (isPool(database)) {
    refuseSettings(settings, 'openPostgres', 'a pool')
    return database
  }
  if (database instanceof URL) return openPool({ ...settings, connectionString: checkUrl(database.href) })
  if (typeof database === 'object' && database !== null) return openPool({ ...driverOptions(database), ...settings })
  return openPool({ ...settings, connectionString: checkUrl(database) })
}

function isPool(database: unknown): database is PostgresPool {
  return typeof database === 'object' && database !== null && 'connect' in database
}

/** The URL may have a password in it, so errors do not show it. */
function checkUrl(url: unknown): string {
  if (typeof url === 'string' && /^(?:postgres(?:ql)?|socket):|^\//.test(url)) return url
  const given = url === undefined || url === '' ? 'nothing: is its environment variable set?' : 'something else'
  throw new TypeError(
    `openPostgres: needs a URL such as postgres://user:password@host/database, options of pg, or a pool, and was given ${given}`,
  )
}

function lostConnection(error: Error): string {
  const { code } = error as { code?: unknown }
  const reason = code === undefined ? error.message : `${error.message} (${code})`
  return `fastify-crud: lost an idle connection to PostgreSQL; the pool replaces it: ${reason}`
}
