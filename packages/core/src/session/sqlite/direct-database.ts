import { keepFrequent } from '../drivers/keep-frequent.ts'
import type { SqliteDatabaseLike } from './shared-statement.ts'
import {
  type DirectStatement,
  directStatement,
  type OpenRows,
  prepareWeighed,
  SharedStatement,
} from './shared-statement.ts'
import type { SlowReads } from './slow-reads.ts'

const NO_ROWS: readonly never[] = []

/** What a statement has done. */
export interface Done {
  /** How many rows it has written; undefined where the driver does not say. */
  readonly changes: number | undefined
  /** SQLite: the id of the last row that it inserted, as the driver returns it. */
  readonly insertId: number | bigint | undefined
}

/** Runs statements on the SQLite database itself: each is done when the call returns. */
export class DirectDatabase {
  /** Undefined if no threads read. */
  readonly slowReads: SlowReads | undefined
  readonly #database: SqliteDatabaseLike
  readonly #kept: (sql: string) => SharedStatement | undefined
  readonly #keptPlucked: (sql: string) => DirectStatement | undefined
  readonly #open: OpenRows
  #isHeld = false

  constructor(
    database: SqliteDatabaseLike,
    kept: (sql: string) => SharedStatement | undefined,
    open: OpenRows,
    slowReads?: SlowReads,
  ) {
    this.slowReads = slowReads
    this.#database = database
    this.#kept = kept
    this.#keptPlucked = keepFrequent((sql) => this.#pluck(sql))
    this.#open = open
  }

  /** A session begins to hold the connection. It may wait in the middle of its work, and nobody else may write
   * meanwhile. */
  hold(): void {
    this.#isHeld = true
  }

  /** The session is done. */
  release(): void {
    this.#isHeld = false
  }

  /**
   * Whether the connection is free: no transaction is open that statements would become part of, nobody is in the
   * middle of reading rows, which shows the database as it was earlier, and no session holds it.
   */
  get isPossible(): boolean {
    return this.#database.inTransaction === false && this.#open.iterations === 0 && !this.#isHeld
  }

  /**
   * Whether a statement that fails is reset. If not, it keeps the connection at what it has read, even after a
   * rollback. `libsql` does not reset statements, and is recognized by what it lacks.
   */
  get resetsStatements(): boolean {
    return this.#database.prepare('select 1').busy !== undefined
  }

  rows(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    const { reader, direct } = this.#statement(sql)
    if (reader) return direct.all(...parameters)
    direct.run(...parameters)
    return NO_ROWS
  }

  /** The first column of the only row; undefined if there is no row. */
  value(sql: string, parameters: readonly unknown[]): unknown {
    const statement = this.#keptPlucked(sql) ?? this.#pluck(sql)
    if (this.slowReads === undefined) return statement.get(...parameters)
    const begun = performance.now()
    const found = statement.get(...parameters)
    this.slowReads.note(sql, performance.now() - begun)
    return found
  }

  /** Runs a statement that returns no rows. */
  run(sql: string, parameters: readonly unknown[]): Done {
    const { changes, lastInsertRowid } = this.#statement(sql).direct.run(...parameters)
    return { changes: Number(changes), insertId: Number(lastInsertRowid) }
  }

  #statement(sql: string): SharedStatement {
    return this.#kept(sql) ?? new SharedStatement(this.#database, sql, this.#open)
  }

  #pluck(sql: string): DirectStatement {
    const statement = prepareWeighed(this.#database, sql)
    statement.pluck?.()
    return directStatement(statement)
  }
}
