import { decimalKey } from '../sql/dialect/sqlite/decimal-key.ts'
import { decimalQuotient } from '../sql/dialect/sqlite/decimal-quotient.ts'
import { decimalSum } from '../sql/dialect/sqlite/decimal-sum.ts'
import { localDate } from '../sql/dialect/sqlite/local-date.ts'
import { simpleLowerCase } from '../sql/dialect/sqlite/simple-lower-case.ts'
import { SQLITE_FUNCTIONS } from '../sql/dialect/sqlite/sqlite-functions.ts'
import type { SqliteDatabase } from './sqlite-pragmas.ts'

/** Registers the functions of {@link SQLITE_FUNCTIONS}. Returns whether the database takes functions: what resembles better-sqlite3 may not. */
export function registerFunctions(database: SqliteDatabase): boolean {
  if (database.function === undefined) return false
  database.function(SQLITE_FUNCTIONS.decimal, OPTIONS, decimalKey)
  database.function(SQLITE_FUNCTIONS.decimalSum, OPTIONS, decimalSum)
  database.function(SQLITE_FUNCTIONS.decimalQuotient, OPTIONS, decimalQuotient)
  database.function(SQLITE_FUNCTIONS.localDate, OPTIONS, localDate)
  database.function(SQLITE_FUNCTIONS.base64, OPTIONS, (value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null,
  )
  database.function(SQLITE_FUNCTIONS.lower, OPTIONS, (value) =>
    typeof value === 'string' ? simpleLowerCase(value) : null,
  )
  return true
}

/** Integers come as `bigint`, so that none is rounded. With `directOnly`, nothing in the file can come to need the functions. */
const OPTIONS = { deterministic: true, directOnly: true, safeIntegers: true }
