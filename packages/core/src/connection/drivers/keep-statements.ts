import { keepPostgres, type PostgresClientLike, type PostgresPoolLike } from './keep-postgres.ts'
import { type KeepSqliteOptions, keepSqlite } from './keep-sqlite.ts'
import type { SqliteDatabaseLike, SqliteStatementLike } from './sqlite-driver.ts'

/**
 * Makes a database driver keep the statements that it has prepared, which is most of what a query costs.
 *
 * Goes in: what a Kysely dialect takes, a better-sqlite3 database or a pool of `pg`. Comes out: the same to Kysely,
 * whose statements are prepared once for each connection. The driver itself is left as it is.
 *
 * On PostgreSQL these are named prepared statements, and the store sends statements that need not wait for each other as
 * one message (not if the pool has `pipeline`, nor with `pg-native`). A pooler in front of it that gives each transaction
 * another connection may not carry named statements: there, give Kysely the pool itself. A connection that is lost fails
 * the query that it is in use for and nothing else: `pg` ends the process where nobody listens to that.
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
): PostgresPoolLike<Client>
export function keepStatements(
  driver: SqliteDatabaseLike | PostgresPoolLike,
  options?: KeepSqliteOptions,
): SqliteDatabaseLike | PostgresPoolLike {
  return 'prepare' in driver ? keepSqlite(driver, options) : keepPostgres(driver)
}
