import type SqliteDriver from 'better-sqlite3'

/** A driver that is like better-sqlite3, but for some methods of its statements. */
export function driverOver(database: SqliteDriver.Database, methodsOf: (statement: SqliteDriver.Statement) => object) {
  return {
    close: () => database.close(),
    get inTransaction() {
      return database.inTransaction
    },
    prepare(sql: string) {
      const statement = database.prepare<unknown[]>(sql)
      return {
        reader: statement.reader,
        busy: statement.busy,
        all: (given: readonly unknown[]) => statement.all(given),
        run: (given: readonly unknown[]) => statement.run(given),
        iterate: (given: readonly unknown[]) => statement.iterate(given),
        ...methodsOf(statement),
      }
    },
  }
}
