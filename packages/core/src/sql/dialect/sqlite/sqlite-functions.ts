import type { DialectAdapter } from 'kysely'
import { type AnyKysely, databaseOf } from '../database.ts'

/**
 * The functions that `openSqlite` registers on its connection. No index, trigger, view or generated column may use them, as other
 * programs that write to the file do not have them.
 */
export const SQLITE_FUNCTIONS = {
  /** `crud_decimal(x)` is a text that compares as the decimal number `x` does. Null for null, and for what is no number. */
  decimal: 'crud_decimal',
  /** `crud_decimal_sum(json_group_array(cast(x as text)))` is the exact sum of decimal numbers, `'0'` if there are none. */
  decimalSum: 'crud_decimal_sum',
  /** `crud_decimal_quotient(x, n)` is the decimal `x` divided by the integer `n`, rounded. Null for null, and for what is no number. */
  decimalQuotient: 'crud_decimal_quotient',
  /** `crud_local_date(m, zone)` is the date on which the moment `m`, in seconds since 1970, is in a time zone. */
  localDate: 'crud_local_date',
  /** `crud_base64(x)` is the base64 of a blob, with its padding. Null for what is no blob. */
  base64: 'crud_base64',
  /** `crud_lower(x)` is the text with the simple lower case of each code point. Null for what is no text. */
  lower: 'crud_lower',
} as const

/** Every Kysely instance has its own adapter, and its transactions and copies (`withPlugin`, `withSchema`) have the same one. */
const adapters = new WeakSet<DialectAdapter>()

/** The connection of this instance has {@link SQLITE_FUNCTIONS}. */
export function rememberFunctions(db: AnyKysely): void {
  adapters.add(db.getExecutor().adapter)
}

/** Whether SQL for this instance can compare and add decimal numbers exactly: SQLite needs {@link SQLITE_FUNCTIONS} for it. */
export function computesDecimals(db: AnyKysely): boolean {
  return databaseOf(db) === 'postgres' || hasFunctions(db)
}

/** Whether SQL for this instance can print bytes as base64: SQLite needs {@link SQLITE_FUNCTIONS} for it. */
export function servesBytes(db: AnyKysely): boolean {
  return databaseOf(db) === 'postgres' || hasFunctions(db)
}

/** Whether SQL for this instance, or for a transaction of it, may call {@link SQLITE_FUNCTIONS}. */
export function hasFunctions(db: AnyKysely): boolean {
  return adapters.has(db.getExecutor().adapter)
}
