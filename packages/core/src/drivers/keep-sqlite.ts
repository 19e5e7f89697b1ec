import { HANDLE, type Handle, type Reads } from './handle.ts'
import { MOST_KEPT, worthKeeping } from './worth-keeping.ts'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
  /** A driver that does not tell is not asked to read while others may write. */
  readonly inTransaction?: boolean
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
  /** Has `get` give the value of the first column. */
  pluck?(): { get(parameters: readonly unknown[]): unknown }
}

export function keepSqlite(database: SqliteDatabaseLike): SqliteDatabaseLike {
  const prepare = keeping((sql) => new KeptStatement(database, sql))
  const handle: Handle = { reads: readsOf(database) }
  return {
    prepare: (sql) => (sql === HANDLE ? new HandleStatement(handle) : prepare(sql)),
    close: () => database.close(),
  }
}

/** Gives for each SQL text what was made of it, if it comes often enough for that. */
function keeping<Statement>(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const kept = new Map<string, Statement>()
  const isWorthKeeping = worthKeeping()
  return (sql) => {
    let statement = kept.get(sql)
    if (statement === undefined) {
      statement = prepare(sql)
      if (kept.size < MOST_KEPT && isWorthKeeping(sql)) kept.set(sql, statement)
    }
    return statement
  }
}

/** Nothing else runs between the look and the read: both are done before anybody else has their turn. */
function readsOf(database: SqliteDatabaseLike): Reads | undefined {
  if (typeof database.inTransaction !== 'boolean' || database.prepare('select 1').pluck === undefined) return undefined
  const prepare = keeping((sql) => database.prepare(sql).pluck?.())
  return {
    get arePossible() {
      return database.inTransaction === false
    },
    value: (sql, parameters) => prepare(sql)?.get(parameters),
  }
}

class KeptStatement implements SqliteStatementLike {
  readonly reader: boolean
  readonly #database: SqliteDatabaseLike
  readonly #sql: string
  readonly #statement: SqliteStatementLike

  constructor(database: SqliteDatabaseLike, sql: string) {
    this.#database = database
    this.#sql = sql
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
  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#database.prepare(this.#sql).iterate(parameters)
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
