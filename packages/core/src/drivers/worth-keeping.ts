/** As many different statements are kept on each connection; further ones are prepared each time. */
export const MOST_KEPT = 1_000

/** A statement is kept from this use on: one that does not come again should not take another one's place. */
const USES_BEFORE = 3
const MOST_COUNTED = 10_000

/** Tells which statements are worth keeping, by how often they come. */
export function worthKeeping(): (sql: string) => boolean {
  const uses = new Map<string, number>()
  return (sql) => {
    const count = (uses.get(sql) ?? 0) + 1
    if (count >= USES_BEFORE) {
      uses.delete(sql)
      return true
    }
    if (uses.size >= MOST_COUNTED) uses.clear()
    uses.set(sql, count)
    return false
  }
}
