import { type DirectStatement, directStatement } from './direct-statement.ts'
import { type Direct, HANDLE, type Handle } from './handle.ts'
import { keepOftenUsed } from './keep-often-used.ts'
import type { SqliteDatabaseLike, SqliteResult, SqliteStatementLike } from './sqlite-driver.ts'

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
  const prepare = (sql: string) => new SharedStatement(database, sql, open)
  const kept = keepOftenUsed(prepare)
  const handle: Handle = direct ? { direct: new DirectStatements(database, prepare, kept, open) } : {}
  return {
    prepare: (sql) => (sql === HANDLE ? new HandleStatement(handle) : (kept(sql) ?? prepare(sql))),
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
  readonly #prepare: (sql: string) => SharedStatement
  readonly #kept: (sql: string) => SharedStatement | undefined
  readonly #keptPlucked: (sql: string) => DirectStatement | undefined
  readonly #open: OpenRows

  constructor(
    database: SqliteDatabaseLike,
    prepare: (sql: string) => SharedStatement,
    kept: (sql: string) => SharedStatement | undefined,
    open: OpenRows,
  ) {
    this.#database = database
    this.#prepare = prepare
    this.#kept = kept
    this.#keptPlucked = keepOftenUsed((sql) => this.#pluck(sql))
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
    const { reader, direct } = this.#statement(sql)
    if (reader) return direct.all(...parameters)
    direct.run(...parameters)
    return NO_ROWS
  }

  value(sql: string, parameters: readonly unknown[]): unknown {
    const statement = this.#keptPlucked(sql) ?? this.#pluck(sql)
    return statement.get(...parameters)
  }

  insertedId(sql: string, parameters: readonly unknown[]): number {
    return Number(this.#statement(sql).direct.run(...parameters).lastInsertRowid)
  }

  #statement(sql: string): SharedStatement {
    return this.#kept(sql) ?? this.#prepare(sql)
  }

  #pluck(sql: string): DirectStatement {
    const statement = this.#database.prepare(sql)
    statement.pluck?.()
    return directStatement(statement)
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
  #direct: DirectStatement | undefined

  constructor(database: SqliteDatabaseLike, sql: string, open: OpenRows) {
    this.#database = database
    this.#sql = sql
    this.#open = open
    this.#statement = database.prepare(sql)
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
