import { type DriverFeatures, FEATURES_QUERY } from '../drivers/driver-features.ts'
import { keepFrequent } from '../drivers/keep-frequent.ts'
import { DirectDatabase } from './direct-database.ts'
import { type OpenRows, SharedStatement } from './shared-statement.ts'
import { type Readers, SlowReads } from './slow-reads.ts'
import type { SqliteDatabaseLike, SqliteStatementLike } from './sqlite-driver.ts'

export interface KeepSqliteOptions {
  /**
   * The store calls the database itself while nothing is open on it, instead of waiting for Kysely's only connection, so a
   * request is done at once. Use it only if one Kysely instance has this database. What wraps Kysely's connections does not see
   * these statements. Kysely's `log` does: with it, statements go through Kysely. Code that holds Kysely's connection without a
   * transaction does not stop requests: Kysely's `Migrator` on SQLite, or `pragma foreign_keys = off` around some statements.
   * Run such code before the first request. Default false.
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
