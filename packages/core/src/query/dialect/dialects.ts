import type { DialectAdapter } from 'kysely'
import { type AnyKysely, type DatabaseName, databaseOf } from './database.ts'
import type { Dialect } from './dialect.ts'
import { engineOf } from './postgres/engine.ts'
import { postgres } from './postgres/postgres.ts'
import { postgresOn } from './postgres/postgres-on.ts'
import { sqlite } from './sqlite/sqlite.ts'

/** Each as it is by itself: for what no engine changes. */
export const dialects: Readonly<Record<DatabaseName, Dialect>> = { sqlite, postgres }

/** By the adapter, which an instance shares with its transactions and copies, and which has one engine. */
const known = new WeakMap<DialectAdapter, Dialect>()

/** That of an instance, with what its engine lacks. */
export function dialectOf(db: AnyKysely): Dialect {
  // It says what is wrong with what is no Kysely instance.
  const database = databaseOf(db)
  const { adapter } = db.getExecutor()
  let dialect = known.get(adapter)
  if (dialect === undefined) {
    dialect = database === 'sqlite' ? sqlite : postgresOn(engineOf(db))
    known.set(adapter, dialect)
  }
  return dialect
}
