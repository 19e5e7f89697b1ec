/** As many different statements are kept by each who keeps some; further ones are prepared each time. */
const MOST_KEPT = 1_000

/** A statement is kept from this use on: one that does not come again should not take another one's place. */
const USES_BEFORE = 3
const MOST_COUNTED = 10_000

/** Keeps what is made of an SQL text, once the text has come often enough. Undefined for one that is not kept. */
export function keepOftenUsed<Kept>(make: (sql: string) => Kept): (sql: string) => Kept | undefined {
  const kept = new Map<string, Kept>()
  const uses = new Map<string, number>()
  return (sql) => {
    const known = kept.get(sql)
    if (known !== undefined || kept.size >= MOST_KEPT) return known
    const count = (uses.get(sql) ?? 0) + 1
    if (count < USES_BEFORE) {
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
