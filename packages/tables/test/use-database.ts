import { afterEach, beforeEach } from 'vitest'
import type { OpenDatabase, TestDatabase } from '../../../test/support/databases.ts'

/** A new database for each test of a `describe`; returns what gives that of the current one. */
export function useDatabase(database: TestDatabase): () => OpenDatabase {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())
  return () => open
}
