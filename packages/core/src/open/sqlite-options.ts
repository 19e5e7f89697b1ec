import { driverOptions, type OpenOptions } from './open-options.ts'
import type { Pragmas } from './sqlite-pragmas.ts'

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
  /**
   * The most threads for reads that would hold up all others: lists that find their rows by no index, and what took more than 50 ms
   * before. They start when they are needed, with a file in WAL mode, and not with `direct: false`, `log` or `verbose`. 0: none. Default 2.
   */
  readonly readers?: number
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

/** The options that are for better-sqlite3, with their defaults. */
export function sqliteDriverOptions(options: OpenSqliteOptions): Readonly<Record<string, unknown>> {
  return { timeout: BUSY_TIMEOUT_MS, ...driverOptions(options, ['direct', 'readers', 'pragmas']) }
}
