import { LruCache } from '../../text/lru-cache.ts'
import { type AnyKysely, databaseOf } from '../database.ts'
import { stateOfInstance } from '../kept-for-database.ts'

/**
 * The date on which a moment is in a time zone, such as `2026-11-28`. `seconds`: since 1970. Null for what is no
 * moment. Offsets change at quarters of an hour, so the offset of a quarter is asked for once.
 */
export function localDate(seconds: unknown, zone: unknown): string | null {
  if (typeof zone !== 'string' || typeof seconds !== 'number') return null
  const { format, offsets } = ofZone(zone)
  const quarter = Math.floor(seconds / QUARTER)
  let offset = offsets.get(quarter)
  if (offset === undefined) {
    offset = offsetAt(format, quarter * QUARTER * 1_000)
    if (offsets.size >= MOST_OFFSETS) offsets.clear()
    offsets.set(quarter, offset)
  }
  return new Date(seconds * 1_000 + offset).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

/** In seconds. */
const QUARTER = 900
/** The quarters of three years. */
const MOST_OFFSETS = 100_000

interface Zone {
  readonly name: string
  readonly format: Intl.DateTimeFormat
  readonly offsets: Map<number, number>
}

/** A client may ask for hundreds, each in any case, and the offsets of one may take 5 MB. */
const MOST_ZONES = 10
const zones = new LruCache<string, Zone>(MOST_ZONES)
/** That of the row before. */
let latest: Zone | undefined

function ofZone(name: string): Zone {
  if (latest?.name === name) return latest
  latest = zones.get(name) ?? newZone(name)
  zones.set(name, latest)
  return latest
}

function newZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory', { timeZone: name, ...ALL_PARTS })
  return { name, format, offsets: new Map() }
}

const ALL_PARTS: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
  ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
}

/** In milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, milliseconds: number): number {
  const parts = format.formatToParts(milliseconds).map(({ type, value }) => [type, +value] as const)
  const { year = 0, month = 0, day = 0, hour, minute, second } = Object.fromEntries(parts)
  const local = new Date(0)
  // `Date.UTC` takes the year 50 for 1950.
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour ?? 0, minute, second)
  return local.getTime() - milliseconds
}

/**
 * The functions that `openSqlite` registers on its connection. No index, trigger, view or generated column may use
 * them, as other programs that write to the file do not have them.
 */
export const SQLITE_FUNCTIONS = {
  /** `crud_decimal(x)` is a text that compares as the decimal number `x` does. Null for null, and for what is no
   * number. */
  decimal: 'crud_decimal',
  /** `crud_decimal_sum(json_group_array(cast(x as text)))` is the exact sum of decimal numbers, `'0'` if there are
   * none. */
  decimalSum: 'crud_decimal_sum',
  /** `crud_decimal_quotient(x, n)` is the decimal `x` divided by the integer `n`, rounded. Null for null, and for what
   * is no number. */
  decimalQuotient: 'crud_decimal_quotient',
  /** `crud_local_date(m, zone)` is the date on which the moment `m`, in seconds since 1970, is in a time zone. */
  localDate: 'crud_local_date',
  /** `crud_base64(x)` is the base64 of a blob, with its padding. Null for what is no blob. */
  base64: 'crud_base64',
  /** `crud_lower(x)` is the text with the simple lower case of each code point. Null for what is no text. */
  lower: 'crud_lower',
} as const

const connection = stateOfInstance(() => ({ hasFunctions: false }))

/** The connection of this instance has {@link SQLITE_FUNCTIONS}. */
export function rememberFunctions(db: AnyKysely): void {
  connection(db).hasFunctions = true
}

/** Whether SQL for this instance can compare and add decimal numbers exactly: SQLite needs {@link SQLITE_FUNCTIONS} for
 * it. */
export function computesDecimals(db: AnyKysely): boolean {
  return databaseOf(db) === 'postgres' || hasFunctions(db)
}

/** Whether SQL for this instance can print bytes as base64: SQLite needs {@link SQLITE_FUNCTIONS} for it. */
export function servesBytes(db: AnyKysely): boolean {
  return databaseOf(db) === 'postgres' || hasFunctions(db)
}

/** Whether SQL for this instance, or for a transaction of it, may call {@link SQLITE_FUNCTIONS}. */
export function hasFunctions(db: AnyKysely): boolean {
  return connection(db).hasFunctions
}

/**
 * The text with the simple lower case of each code point
 * (https://www.unicode.org/reports/tr44/#Simple_Lowercase_Mapping), as `lower(… collate pg_c_utf8)` of PostgreSQL has
 * it. It has as many code points as the text.
 *
 * JavaScript has the full lower case. Without a locale, the two differ for two letters only: İ becomes two code points,
 * and Σ becomes another letter at the end of a word.
 */
export function simpleLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase()
}
