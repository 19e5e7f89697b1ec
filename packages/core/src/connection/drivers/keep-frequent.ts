/** The most statements that one caller keeps. It prepares all others each time. */
const MOST_KEPT = 1_000

/** A statement is kept from this use on, so that statements which do not come again take nobody's place. */
const KEPT_FROM_USE = 3
const MOST_COUNTED = 10_000

/** Keeps what `make` makes of an SQL text, if the text comes frequently. Returns undefined for a text that is not kept. */
export function keepFrequent<Kept>(make: (sql: string) => Kept): (sql: string) => Kept | undefined {
  const kept = new Map<string, Kept>()
  const uses = new Map<string, number>()
  return (sql) => {
    const known = kept.get(sql)
    if (known !== undefined || kept.size >= MOST_KEPT) return known
    const count = (uses.get(sql) ?? 0) + 1
    if (count < KEPT_FROM_USE) {
      if (uses.size >= MOST_COUNTED) uses.clear()
      uses.set(sql, count)
      return undefined
    }
    uses.delete(sql)
    const made = make(sql)
    kept.set(sql, made)
    return made
  }
}
