import {
  type KeepPostgresOptions,
  keepPostgres,
  type PostgresClientLike,
  type PostgresPoolLike,
} from '../postgres/keep-postgres.ts'
import { type KeepSqliteOptions, keepSqlite } from '../sqlite/keep-sqlite.ts'
import type { SqliteDatabaseLike, SqliteStatementLike } from '../sqlite/sqlite-driver.ts'

/**
 * Makes a database driver keep its prepared statements. To prepare them is most of what a query costs.
 *
 * It takes what a Kysely dialect takes: a better-sqlite3 database or a pool of `pg`. It returns the same for Kysely, with
 * statements that are prepared once for each connection. It does not change the driver itself.
 *
 * On PostgreSQL these are named prepared statements, and the store sends statements that need not wait for each other in one
 * message (not if the pool has `pipeline`, nor with `pg-native`; `warn` is told if this version of `pg` cannot). What wraps the
 * `query` of `pg`'s clients still sees each statement. A pooler that gives each transaction another connection may not know named
 * statements: with `named: false`, none has a name. A lost connection fails its running query and nothing else. Without
 * `keepStatements`, `pg` ends the process if nobody listens to that error.
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
