import type { SqliteResult, SqliteStatementLike } from './sqlite-driver.ts'

/** A statement that takes its values as arguments. */
export interface DirectStatement {
  all(...values: readonly unknown[]): unknown[]
  run(...values: readonly unknown[]): SqliteResult
  /** Returns the only value of a plucked statement. */
  get(...values: readonly unknown[]): unknown
}

/**
 * better-sqlite3 takes values as arguments, which is faster than an array of them. Drivers that only resemble it, and wrappers
 * around it, may know only the array that Kysely passes.
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
