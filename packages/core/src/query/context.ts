import { type AnyKysely, databaseOf } from './database.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import { type Names, namesOf } from './sql-text.ts'

/** What every query is compiled with. */
export interface QueryContext {
  readonly db: AnyKysely
  readonly dialect: Dialect
  readonly names: Names
}

export function queryContext(db: AnyKysely): QueryContext {
  return { db, dialect: dialectOf(databaseOf(db)), names: namesOf(db) }
}
