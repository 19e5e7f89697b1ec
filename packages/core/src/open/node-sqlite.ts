import type { SqliteDatabase, SqliteFunctionOptions, SqliteStatement } from './sqlite-pragmas.ts'

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface NodeSqlite {
  prepare(sql: string): NodeStatement
  function(
    name: string,
    options: { readonly deterministic: boolean; readonly directOnly: boolean; readonly useBigIntArguments: boolean },
    implementation: (...given: unknown[]) => never,
  ): void
  location(): string | null
  readonly isTransaction: boolean
  close(): void
}

interface NodeStatement {
  columns(): readonly unknown[]
  all(...parameters: never[]): unknown[]
  get(...parameters: never[]): unknown
  run(...parameters: never[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  iterate(...parameters: never[]): IterableIterator<unknown>
}

/** Also of a class that extends it. */
export function isNodeSqlite(database: object): database is NodeSqlite {
  for (let type = Object.getPrototypeOf(database); type !== null; type = Object.getPrototypeOf(type)) {
    if (type.constructor?.name === 'DatabaseSync') return true
  }
  return false
}

/** The database as better-sqlite3 would have it. */
export function likeBetterSqlite(database: NodeSqlite): SqliteDatabase {
  if (typeof database.isTransaction !== 'boolean') {
    throw new TypeError(`openSqlite: node:sqlite needs Node.js 22.16 or later, and this is ${process.versions.node}`)
  }
  const prepare = (sql: string) => withCodes(() => new Statement(database.prepare(sql)))
  return {
    name: database.location() ?? ':memory:',
    readonly: false,
    get inTransaction() {
      return database.isTransaction
    },
    prepare,
    pragma(source) {
      const [row] = prepare(`pragma ${source}`).all([])
      return Object.values(row ?? {})[0]
    },
    function(name, { safeIntegers, ...options }: SqliteFunctionOptions, implementation) {
      database.function(name, { ...options, useBigIntArguments: safeIntegers }, implementation as never)
    },
    close: () => database.close(),
  }
}

/** A statement that takes its values in an array. */
class Statement implements SqliteStatement {
  readonly reader: boolean
  /** A statement is reset when its rows have been read, or when it fails. */
  readonly busy = false
  readonly #statement: NodeStatement

  constructor(statement: NodeStatement) {
    this.#statement = statement
    this.reader = statement.columns().length > 0
  }

  all(parameters: unknown): unknown[] {
    return withCodes(() => this.#statement.all(...(parameters as never[])))
  }

  get(parameters: unknown): unknown {
    return withCodes(() => this.#statement.get(...(parameters as never[])))
  }

  run(parameters: unknown): ReturnType<SqliteStatement['run']> {
    return withCodes(() => this.#statement.run(...(parameters as never[])))
  }

  iterate(parameters: unknown): IterableIterator<unknown> {
    return withCodes(() => this.#statement.iterate(...(parameters as never[])))
  }

  /** Whoever reads a single value takes the first one of the row. */
  pluck(): void {}
}

function withCodes<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    const { errcode } = error as { errcode?: unknown }
    if (typeof errcode === 'number') Object.assign(error as object, { code: nameOf(errcode) })
    throw error
  }
}

/** The names of SQLite's results (https://www.sqlite.org/rescode.html) that tell one kind of error from another. */
const NAMES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  26: 'SQLITE_NOTADB',
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  1811: 'SQLITE_CONSTRAINT_TRIGGER',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
  2579: 'SQLITE_CONSTRAINT_ROWID',
  3091: 'SQLITE_CONSTRAINT_DATATYPE',
}

/** Of a result without a name of its own, that of its kind, which is in the lowest byte. */
function nameOf(result: number): string {
  return NAMES[result] ?? NAMES[result % 256] ?? 'SQLITE_ERROR'
}
