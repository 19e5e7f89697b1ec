import { LruCache } from '../../sql/text/lru-cache.ts'
import { isClientShape } from '../../sql/text/prepare.ts'

/**
 * The most statements that one caller keeps. It prepares all others each time. With a policy of four roles, one takes
 * 45 kB on SQLite, and 270 to 400 kB of each connection's process on PostgreSQL. Without policies, it takes 70 to 110
 * kB there.
 */
export const MOST_KEPT = 1_500

/** Statements whose shapes clients make have places of their own, so that no client takes those of all others. */
export const MOST_CLIENT_SHAPES = 250

/** A statement is kept from this use on, so that statements which do not come again take nobody's place. */
const KEPT_FROM_USE = 3
const MOST_COUNTED = 10_000
const MOST_CLIENT_SHAPES_COUNTED = 1_000

/**
 * Keeps what `make` makes of an SQL text, if the text comes frequently. Returns undefined for a text that is not kept.
 * Where there are too many, it drops the one that was not used for longest.
 */
export function keepFrequent<Kept>(make: (sql: string) => Kept): (sql: string) => Kept | undefined {
  const keepShape = keeper(make, MOST_CLIENT_SHAPES, MOST_CLIENT_SHAPES_COUNTED)
  const keepOther = keeper(make, MOST_KEPT, MOST_COUNTED)
  return (sql) => (isClientShape(sql) ? keepShape(sql) : keepOther(sql))
}

function keeper<Kept>(
  make: (sql: string) => Kept,
  most: number,
  mostCounted: number,
): (sql: string) => Kept | undefined {
  const kept = new LruCache<string, Kept>(most)
  const isFrequent = counter(mostCounted)
  return (sql) => {
    const known = kept.get(sql)
    if (known !== undefined || !isFrequent(sql)) return known
    const made = make(sql)
    kept.set(sql, made)
    return made
  }
}

/** Counts the uses of texts, and says whether one has enough of them. Where there are too many texts, it forgets the
 * one that was not used for longest. */
function counter(most: number): (sql: string) => boolean {
  const uses = new LruCache<string, number>(most)
  return (sql) => {
    const count = (uses.get(sql) ?? 0) + 1
    if (count >= KEPT_FROM_USE) {
      uses.delete(sql)
      return true
    }
    uses.set(sql, count)
    return false
  }
}
