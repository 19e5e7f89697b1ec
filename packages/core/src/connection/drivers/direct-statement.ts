import type { SqliteResult, SqliteStatementLike } from './sqlite-driver.ts'

/** A statement that takes its values as arguments. */
export interface DirectStatement {
  all(...values: readonly unknown[]): unknown[]
  run(...values: readonly unknown[]): SqliteResult
  /** Of a statement that is plucked: its only value. */
  get(...values: readonly unknown[]): unknown
}

/**
 * To better-sqlite3 values go as arguments, which is quicker than in an array. What is only like it, or put around it, need
 * not know of more than the array that Kysely gives it.
 */
export function directStatement(statement: SqliteStatementLike): DirectStatement {
  if (isNative(statement)) return statement
  return {
    all: (...values) => statement.all(values),
    run: (...values) => statement.run(values),
    get(...values) {
      const row = statement.get === undefined ? statement.all(values)[0] : statement.get(values)
      // Not every driver that is like better-sqlite3 plucks what `get` gives.
      return typeof row === 'object' && row !== null ? Object.values(row)[0] : row
    },
  }
}

/** Whether it is as a driver in native code has made it: nobody has put anything in between. */
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
