import { type AnyKysely, databaseOf } from './database.ts'
import type { Dialect } from './dialect.ts'
import { postgres } from './postgres.ts'
import { type Names, namesOf } from './sql-text.ts'
import { sqlite } from './sqlite.ts'

/** What every query is compiled with. */
export interface QueryContext {
  readonly db: AnyKysely
  readonly dialect: Dialect
  readonly names: Names
}

export function queryContext(db: AnyKysely): QueryContext {
  return { db, dialect: databaseOf(db) === 'postgres' ? postgres : sqlite, names: namesOf(db) }
}
