import { decimalKey, decimalQuotient, decimalSum } from '../sql/dialect/sqlite/decimals.ts'
import { localDate, SQLITE_FUNCTIONS, simpleLowerCase } from '../sql/dialect/sqlite/sqlite-functions.ts'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabase {
  readonly name: string
  readonly readonly: boolean
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  pragma(source: string, options: { readonly simple: true }): unknown
  function?(
    name: string,
    options: SqliteFunctionOptions,
    implementation: (first: unknown, second: unknown) => unknown,
  ): unknown
  close(): unknown
}

export interface SqliteFunctionOptions {
  readonly deterministic: boolean
  readonly directOnly: boolean
  readonly safeIntegers: boolean
}

export interface SqliteStatement {
  readonly reader: boolean
  readonly busy: boolean
  all(...parameters: unknown[]): unknown[]
  get(...parameters: unknown[]): unknown
  run(...parameters: unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  iterate(...parameters: unknown[]): IterableIterator<unknown>
  pluck(): unknown
}

/** SQLite's settings (https://www.sqlite.org/pragma.html), by name: `{ synchronous: 'full', cache_size: -64_000 }`. */
export type Pragmas = { readonly [name: string]: string | number | boolean }

/**
 * Sets up a database that has just been opened.
 *
 * @throws TypeError for a name or value that is not one word.
 */
export function applyPragmas(database: SqliteDatabase, given: Pragmas, warn: (message: string) => void): void {
  for (const [name, value] of Object.entries(given)) checkPragma(name, value)
  // What is opened to read takes the file as it is.
  const defaults: Pragmas = database.readonly ? { foreign_keys: true } : { journal_mode: 'wal', foreign_keys: true }
  const { journal_mode, ...others } = { ...defaults, ...given }
  if (journal_mode !== undefined) {
    const mode = setJournalMode(database, journal_mode)
    // In WAL mode a power failure may take the last commits, but never breaks the file. In another mode it could.
    set(database, 'synchronous', mode === 'wal' ? 'normal' : 'full')
    const isRefused = mode !== 'wal' && String(journal_mode).toLowerCase() === 'wal'
    // What is in memory is never in WAL mode, and has nothing to lose.
    if (isRefused && database.name !== ':memory:') warn(withoutWal(database.name, mode))
  }
  for (const [name, value] of Object.entries(others)) set(database, name, value)
}

function withoutWal(file: string, mode: unknown): string {
  return (
    `fastify-crud: SQLite cannot use WAL for '${file}', as on a network disk, and stays in journal mode '${mode}'. ` +
    'So each commit waits until it is on the disk (synchronous = FULL), and a write keeps other processes from reading.'
  )
}

function set(database: SqliteDatabase, name: string, value: string | number | boolean): unknown {
  return database.pragma(`${name} = ${value}`, { simple: true })
}

/** How long to try to change the journal mode, and how long to wait in between. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 10

/** Where several processes open a new file at once, SQLite refuses all but one, without waiting as long as its timeout
 * says. */
function setJournalMode(database: SqliteDatabase, mode: string | number | boolean): unknown {
  const begun = performance.now()
  for (;;) {
    try {
      return set(database, 'journal_mode', mode)
    } catch (error) {
      const isBusy = (error as { code?: unknown }).code === 'SQLITE_BUSY'
      if (!isBusy || performance.now() - begun > PATIENCE_MS) throw error
      pause()
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

function checkPragma(name: string, value: unknown): void {
  const isWord = /^\w+$/.test(name) && /^[\w.+-]+$/.test(String(value))
  if (!isWord) throw new TypeError(`openSqlite: pragmas.${name}: '${value}' is not a setting of SQLite`)
}

/** Registers the functions of {@link SQLITE_FUNCTIONS}. Returns whether the database takes functions: what resembles
 * better-sqlite3 may not. */
export function registerFunctions(database: SqliteDatabase): boolean {
  if (database.function === undefined) return false
  database.function(SQLITE_FUNCTIONS.decimal, OPTIONS, decimalKey)
  database.function(SQLITE_FUNCTIONS.decimalSum, OPTIONS, decimalSum)
  database.function(SQLITE_FUNCTIONS.decimalQuotient, OPTIONS, decimalQuotient)
  database.function(SQLITE_FUNCTIONS.localDate, OPTIONS, localDate)
  database.function(SQLITE_FUNCTIONS.base64, OPTIONS, (value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null,
  )
  database.function(SQLITE_FUNCTIONS.lower, OPTIONS, (value) =>
    typeof value === 'string' ? simpleLowerCase(value) : null,
  )
  return true
}

/** Integers come as `bigint`, so that none is rounded. With `directOnly`, nothing in the file can come to need the
 * functions. */
const OPTIONS = { deterministic: true, directOnly: true, safeIntegers: true }
