import { MOST_KEPT, worthKeeping } from './worth-keeping.ts'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

export function keepSqlite(database: SqliteDatabaseLike): SqliteDatabaseLike {
  const kept = new Map<string, SqliteStatementLike>()
  const isWorthKeeping = worthKeeping()
  return {
    prepare(sql) {
      let statement = kept.get(sql)
      if (statement === undefined) {
        statement = database.prepare(sql)
        if (kept.size < MOST_KEPT && isWorthKeeping(sql))
          kept.set(sql, new KeptStatement(statement, () => database.prepare(sql)))
      }
      return statement
    },
    close: () => database.close(),
  }
}

/** A statement that is iterated is busy until the end: each iteration gets one of its own. */
class KeptStatement implements SqliteStatementLike {
  readonly reader: boolean
  readonly #statement: SqliteStatementLike
  readonly #prepare: () => SqliteStatementLike

  constructor(statement: SqliteStatementLike, prepare: () => SqliteStatementLike) {
    this.reader = statement.reader
    this.#statement = statement
    this.#prepare = prepare
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(parameters)
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(parameters)
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#prepare().iterate(parameters)
  }
}
