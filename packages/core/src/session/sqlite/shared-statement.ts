import { type DirectStatement, directStatement } from './direct-statement.ts'
import type { SqliteDatabaseLike, SqliteResult, SqliteStatementLike } from './sqlite-driver.ts'
import { prepareWeighed } from './statement-memory.ts'

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
