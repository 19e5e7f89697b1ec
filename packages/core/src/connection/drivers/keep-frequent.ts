import { isClientShape } from '../../query/client-shape.ts'
import { dropFirst, keepAsLast } from '../../query/last-used.ts'

/** The most statements that one caller keeps. It prepares all others each time. */
const MOST_KEPT = 1_000

/** Statements whose shapes clients make have places of their own, so that no client takes those of all others. */
export const MOST_CLIENT_SHAPES = 250

/** A statement is kept from this use on, so that statements which do not come again take nobody's place. */
const KEPT_FROM_USE = 3
const MOST_COUNTED = 10_000
const MOST_CLIENT_SHAPES_COUNTED = 1_000

/**
 * Keeps what `make` makes of an SQL text, if the text comes frequently. Returns undefined for a text that is not kept. It keeps the
 * first statements, and of those that clients shape the ones that were used last.
 */
export function keepFrequent<Kept>(make: (sql: string) => Kept): (sql: string) => Kept | undefined {
  const kept = new Map<string, Kept>()
  const isFrequent = counter(MOST_COUNTED)
  const shapes = new Map<string, Kept>()
  const isFrequentShape = counter(MOST_CLIENT_SHAPES_COUNTED)

  const keepShape = (sql: string) => {
    const known = shapes.get(sql)
    if (known === undefined && !isFrequentShape(sql)) return undefined
    const shape = known ?? make(sql)
    keepAsLast(shapes, sql, shape)
    if (shapes.size > MOST_CLIENT_SHAPES) dropFirst(shapes)
    return shape
  }

  return (sql) => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    if (isClientShape(sql)) return keepShape(sql)
    if (kept.size >= MOST_KEPT || !isFrequent(sql)) return undefined
    const made = make(sql)
    kept.set(sql, made)
    return made
  }
}

/** Counts the uses of texts, and says whether one has enough of them. It starts over where there are too many texts. */
function counter(most: number): (sql: string) => boolean {
  const uses = new Map<string, number>()
  return (sql) => {
    const count = (uses.get(sql) ?? 0) + 1
    if (count >= KEPT_FROM_USE) {
      uses.delete(sql)
      return true
    }
    if (uses.size >= most) uses.clear()
    uses.set(sql, count)
    return false
  }
}
