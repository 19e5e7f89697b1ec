import type { SqliteDatabaseLike, SqliteResult, SqliteStatementLike } from './sqlite-driver.ts'

/** A statement that takes its values as arguments, which is quicker than in an array. */
export interface DirectStatement {
  all(...values: readonly unknown[]): unknown[]
  run(...values: readonly unknown[]): SqliteResult
  /** Of a statement that is plucked: its only value. */
  get(...values: readonly unknown[]): unknown
}

/** Makes one of what a driver has prepared. */
export type ToDirect = (statement: SqliteStatementLike) => DirectStatement

export const asItIs: ToDirect = (statement) => statement as DirectStatement

export const withArrays: ToDirect = (statement) => ({
  all: (...values) => statement.all(values),
  run: (...values) => statement.run(values),
  get(...values) {
    const row = statement.get === undefined ? statement.all(values)[0] : statement.get(values)
    // Not every driver that is like better-sqlite3 plucks what `get` gives.
    return typeof row === 'object' && row !== null ? Object.values(row)[0] : row
  },
})

/** What Kysely takes for a database need not do more than to take values in an array, and give rows. */
export function takesArguments(database: SqliteDatabaseLike): boolean {
  try {
    const statement = database.prepare('select ?, ?') as SqliteStatementLike & Partial<DirectStatement>
    statement.pluck?.()
    return statement.get?.(1, 2) === 1
  } catch {
    return false
  }
}
