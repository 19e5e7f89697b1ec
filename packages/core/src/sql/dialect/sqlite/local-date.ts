import { LruCache } from '../../text/lru-cache.ts'

/**
 * The date on which a moment is in a time zone, such as `2026-11-28`. `seconds`: since 1970. Null for what is no moment. Offsets change at
 * quarters of an hour, so the offset of a quarter is asked for once.
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
