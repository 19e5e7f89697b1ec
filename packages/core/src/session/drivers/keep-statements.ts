import {
  type KeepPostgresOptions,
  keepPostgres,
  type PostgresClientLike,
  type PostgresPoolLike,
} from '../postgres/keep-postgres.ts'
import { DirectDatabase } from '../sqlite/direct-database.ts'
import type { SqliteDatabaseLike, SqliteStatementLike } from '../sqlite/shared-statement.ts'
import { type OpenRows, SharedStatement } from '../sqlite/shared-statement.ts'
import { type Readers, SlowReads } from '../sqlite/slow-reads.ts'
import { type DriverFeatures, FEATURES_QUERY } from './driver-features.ts'
import { keepFrequent } from './keep-frequent.ts'

/**
 * Makes a database driver keep its prepared statements. To prepare them is most of what a query costs.
 *
 * It takes what a Kysely dialect takes: a better-sqlite3 database or a pool of `pg`. It returns the same for Kysely,
 * with statements that are prepared once for each connection. It does not change the driver itself.
 *
 * On PostgreSQL these are named prepared statements, and the store sends statements that need not wait for each other
 * in one message (not if the pool has `pipeline`, nor with `pg-native`; `warn` is told if this version of `pg` cannot).
 * What wraps the `query` of `pg`'s clients still sees each statement. A pooler that gives each transaction another
 * connection may not know named statements: with `named: false`, none has a name. A lost connection fails its running
 * query and nothing else. Without `keepStatements`, `pg` ends the process if nobody listens to that error.
 *
 * @example
 * const sqlite = new Kysely({ dialect: new SqliteDialect({ database: keepStatements(new Database('app.sqlite')) }) })
 * const postgres = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(new Pool({ connectionString })) }) })
 */
export function keepStatements<Statement extends SqliteStatementLike>(
  database: SqliteDatabaseLike<Statement>,
  options?: KeepSqliteOptions,
): SqliteDatabaseLike<SqliteStatementLike>
export function keepStatements<Client extends PostgresClientLike>(
  pool: PostgresPoolLike<Client>,
  options?: KeepPostgresOptions,
): PostgresPoolLike<Client>
export function keepStatements(
  driver: SqliteDatabaseLike | PostgresPoolLike,
  options?: KeepSqliteOptions & KeepPostgresOptions,
): SqliteDatabaseLike | PostgresPoolLike {
  return 'prepare' in driver ? keepSqlite(driver, options) : keepPostgres(driver, options)
}

interface KeepSqliteOptions {
  /**
   * The store calls the database itself while nothing is open on it, instead of waiting for Kysely's only connection,
   * so a request is done at once. Use it only if one Kysely instance has this database. What wraps Kysely's connections
   * does not see these statements. Kysely's `log` does: with it, statements go through Kysely. Code that holds Kysely's
   * connection without a transaction does not stop requests: Kysely's `Migrator` on SQLite, or
   * `pragma foreign_keys = off` around some statements. Run such code before the first request. Default false.
   */
  readonly direct?: boolean
}

/** `readers`: they need `direct`. */
export function keepSqlite(
  database: SqliteDatabaseLike,
  { direct }: KeepSqliteOptions = {},
  readers?: Readers,
): SqliteDatabaseLike {
  const open: OpenRows = { iterations: 0 }
  const prepare = (sql: string) => new SharedStatement(database, sql, open)
  const kept = keepFrequent(prepare)
  const slowReads = readers && new SlowReads(database, readers)
  const features: DriverFeatures = direct ? { direct: new DirectDatabase(database, kept, open, slowReads) } : {}
  return {
    prepare: (sql) => (sql === FEATURES_QUERY ? featuresStatement(features) : (kept(sql) ?? prepare(sql))),
    close: () => database.close(),
  }
}

/** Returns the features in a row, as if they were in the database. */
function featuresStatement(features: DriverFeatures): SqliteStatementLike {
  const rows = [{ features }]
  return {
    reader: true,
    all: () => rows,
    iterate: () => rows.values(),
    run() {
      throw new TypeError('this statement returns a row')
    },
  }
}
