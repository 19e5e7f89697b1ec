import { setImmediate as nextTurn } from 'node:timers/promises'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
  readonly inTransaction?: boolean
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): SqliteResult
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
  get?(parameters: readonly unknown[]): unknown
  /** From then on, each row is only the value of its first column. */
  pluck?(): unknown
  /** Whether somebody is in the middle of reading its rows. Only better-sqlite3 has this; drivers that resemble it do
   * not. */
  readonly busy?: boolean
}

interface SqliteResult {
  readonly changes: number | bigint
  readonly lastInsertRowid: number | bigint
}

export interface OpenRows {
  /** The number of statements whose rows somebody is in the middle of reading. */
  iterations: number
}

/** A prepared statement that several callers may use at the same time. */
export class SharedStatement implements SqliteStatementLike {
  readonly reader: boolean
  readonly #database: SqliteDatabaseLike
  readonly #sql: string
  readonly #statement: SqliteStatementLike
  readonly #open: OpenRows
  #direct: DirectStatement | undefined

  constructor(database: SqliteDatabaseLike, sql: string, open: OpenRows) {
    this.#database = database
    this.#sql = sql
    this.#open = open
    this.#statement = prepareWeighed(database, sql)
    this.reader = this.#statement.reader
  }

  get direct(): DirectStatement {
    this.#direct ??= directStatement(this.#statement)
    return this.#direct
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(parameters)
  }

  run(parameters: readonly unknown[]): SqliteResult {
    return this.#statement.run(parameters)
  }

  /** An iterated statement is busy until its last row, so each iteration prepares one of its own. */
  *iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    this.#open.iterations += 1
    try {
      yield* prepareWeighed(this.#database, this.#sql).iterate(parameters)
    } finally {
      this.#open.iterations -= 1
    }
  }
}

/** A statement that takes its values as arguments. */
export interface DirectStatement {
  all(...values: readonly unknown[]): unknown[]
  run(...values: readonly unknown[]): SqliteResult
  /** Returns the only value of a plucked statement. */
  get(...values: readonly unknown[]): unknown
}

/**
 * better-sqlite3 takes values as arguments, which is faster than an array of them. Drivers that only resemble it, and
 * wrappers around it, may know only the array that Kysely passes.
 */
export function directStatement(statement: SqliteStatementLike): DirectStatement {
  if (isNative(statement)) return statement
  return {
    all: (...values) => statement.all(values),
    run: (...values) => statement.run(values),
    get(...values) {
      const row = statement.get === undefined ? statement.all(values)[0] : statement.get(values)
      // Not every driver that resembles better-sqlite3 plucks what `get` returns.
      return typeof row === 'object' && row !== null ? Object.values(row)[0] : row
    },
  }
}

/** Whether the statement is as a driver in native code has made it: no wrapper has replaced a method. */
function isNative(statement: object): statement is DirectStatement {
  const made = Object.getPrototypeOf(statement)
  return ['all', 'run', 'get'].every((name) => {
    const method: unknown = Reflect.get(statement, name)
    return (
      typeof method === 'function' && method === made?.[name] && NATIVE.test(Function.prototype.toString.call(method))
    )
  })
}

const NATIVE = /\{\s*\[native code\]\s*\}$/

/**
 * Prepares a statement, and tells V8 how much memory it takes. SQLite frees a statement after V8 has collected its
 * object, which is a thousand times smaller. V8 saw no reason to collect those that have lived for a while: 10,000 that
 * were kept and dropped left 320 MB, 600 MB in a large heap, and each one more. Now a buffer of the statement's size
 * belongs to each object. It counts for V8 and takes no memory: 170 MB, however many statements there are.
 */
export function prepareWeighed(database: SqliteDatabaseLike, sql: string): SqliteStatementLike {
  const statement = database.prepare(sql)
  const bytes = sizeOf(sql)
  weights.set(statement, emptyBuffer(bytes))
  if (bytesOfTurn === 0) setImmediate(endTurn).unref()
  bytesOfTurn += bytes
  return statement
}

/**
 * A turn of the event loop, if so much was prepared in this one that it has to end; else undefined. Servers have turns
 * enough. A loop that awaits nothing but a database in its own process has none: after 10,000 filters of 20 conditions
 * it held 600 MB.
 */
export function dueTurn(): Promise<void> | undefined {
  return bytesOfTurn > MOST_IN_A_TURN ? nextTurn() : undefined
}

const MOST_IN_A_TURN = 16_000_000

/** SQLite 3.53 takes 13 to 22 bytes for each letter of the library's statements, short ones aside. */
function sizeOf(sql: string): number {
  return 4_000 + 18 * sql.length
}

/** What can grow is not taken from the allocator: the system gives it pages only when something is written there. */
function emptyBuffer(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes })
}

/** As long as a statement lives, so does its buffer. */
const weights = new WeakMap<object, ArrayBuffer>()

/** Of this thread, as statements are freed by its event loop, whatever database they belong to. */
let bytesOfTurn = 0

function endTurn(): void {
  bytesOfTurn = 0
}
