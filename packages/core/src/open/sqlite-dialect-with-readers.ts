import { type Driver, type SqliteDatabase, SqliteDialect } from 'kysely'
import type { ReaderThreads } from './reader-threads.ts'

/** Ends the threads before it closes the database: the last connection to a file in WAL mode tidies up, and must be able to write. */
export class SqliteDialectWithReaders extends SqliteDialect {
  readonly #readers: ReaderThreads | undefined

  constructor(database: SqliteDatabase, readers: ReaderThreads | undefined) {
    super({ database })
    this.#readers = readers
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const close = driver.destroy.bind(driver)
    return Object.assign(driver, {
      destroy: async () => {
        await this.#readers?.end()
        await close()
      },
    })
  }
}
