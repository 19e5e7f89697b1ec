import { type Direct, HANDLE, type Handle } from './handle.ts'
import { keepOftenUsed } from './keep-often-used.ts'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
  readonly inTransaction?: boolean
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
  get?(parameters: readonly unknown[]): unknown
  /** From then on, rows are the values of their first columns. */
  pluck?(): unknown
  /** better-sqlite3 tells whether somebody goes through its rows; drivers that only resemble it do not. */
  readonly busy?: boolean
}

export interface KeepSqliteOptions {
  /**
   * The store asks the database itself as long as nothing is open on it, rather than wait for Kysely's one connection: a
   * request is done at once. Only for a Kysely instance that has this database and no other. What wraps Kysely's connections
   * does not see these statements, but for its `log`: with that they go by Kysely. What holds Kysely's connection without a
   * transaction does not keep them out, such as Kysely's `Migrator` on SQLite, or `pragma foreign_keys = off` around some
   * statements: have that done before the first request. Default false.
   */
  readonly direct?: boolean
}

export function keepSqlite(database: SqliteDatabaseLike, { direct }: KeepSqliteOptions = {}): SqliteDatabaseLike {
  const open: OpenRows = { iterations: 0 }
  const preparedAnew = (sql: string) => new SharedStatement(database, sql, open)
  const kept = keepOftenUsed(preparedAnew)
  const prepare = (sql: string) => kept(sql) ?? preparedAnew(sql)
  const handle: Handle = direct ? { direct: new DirectStatements(database, prepare, open) } : {}
  return {
    prepare: (sql) => (sql === HANDLE ? new HandleStatement(handle) : prepare(sql)),
    close: () => database.close(),
  }
}

interface OpenRows {
  /** How many statements give their rows one by one, and are not at the end. */
  iterations: number
}

/** Nothing else runs between the look whether they are possible and the last of those that are sent at once. */
class DirectStatements implements Direct {
  isHeld = false
  readonly #database: SqliteDatabaseLike
  readonly #prepare: (sql: string) => SqliteStatementLike
  readonly #plucked: (sql: string) => SqliteStatementLike | undefined
  readonly #open: OpenRows

  constructor(database: SqliteDatabaseLike, prepare: (sql: string) => SqliteStatementLike, open: OpenRows) {
    this.#database = database
    this.#prepare = prepare
    this.#plucked = keepOftenUsed((sql) => this.#pluck(sql))
    this.#open = open
  }

  get isPossible(): boolean {
    return this.#database.inTransaction === false && this.#open.iterations === 0 && !this.isHeld
  }

  /** `libsql` does not, and is told apart by what it lacks. */
  get resetsStatements(): boolean {
    return this.#database.prepare('select 1').busy !== undefined
  }

  rows(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    const statement = this.#prepare(sql)
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return NO_ROWS
  }

  value(sql: string, parameters: readonly unknown[]): unknown {
    const statement = this.#plucked(sql) ?? this.#pluck(sql)
    const answer = statement.get === undefined ? statement.all(parameters)[0] : statement.get(parameters)
    // Not every driver that is like better-sqlite3 plucks what `get` gives.
    return typeof answer === 'object' && answer !== null ? Object.values(answer)[0] : answer
  }

  insertedId(sql: string, parameters: readonly unknown[]): number {
    return Number(this.#prepare(sql).run(parameters).lastInsertRowid)
  }

  #pluck(sql: string): SqliteStatementLike {
    const statement = this.#database.prepare(sql)
    statement.pluck?.()
    return statement
  }
}

const NO_ROWS: readonly never[] = []

/** A statement that several may use at the same time. */
class SharedStatement implements SqliteStatementLike {
  readonly reader: boolean
  readonly #database: SqliteDatabaseLike
  readonly #sql: string
  readonly #statement: SqliteStatementLike
  readonly #open: OpenRows

  constructor(database: SqliteDatabaseLike, sql: string, open: OpenRows) {
    this.#database = database
    this.#sql = sql
    this.#open = open
    this.#statement = database.prepare(sql)
    this.reader = this.#statement.reader
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(parameters)
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(parameters)
  }

  /** A statement that is iterated is busy until the end: each iteration gets one of its own. */
  *iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    this.#open.iterations += 1
    try {
      yield* this.#database.prepare(this.#sql).iterate(parameters)
    } finally {
      this.#open.iterations -= 1
    }
  }
}

/** Gives the handle in a row, as if it were in the database. */
class HandleStatement implements SqliteStatementLike {
  readonly reader = true
  readonly #handle: Handle

  constructor(handle: Handle) {
    this.#handle = handle
  }

  all(): unknown[] {
    return [{ handle: this.#handle }]
  }

  run(): never {
    throw new TypeError('it gives a row')
  }

  iterate(): IterableIterator<unknown> {
    return this.all().values()
  }
}
