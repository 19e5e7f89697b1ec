/** The most shapes of queries that are kept. A client can make as many as it likes. */
const MOST_KEPT = 1_000

/** Gives what is kept under a name, or builds and keeps it. Where there are too many, it drops the one that was not used for longest. */
export function lastUsed(): <Kept extends object>(name: string, build: () => Kept) => Kept {
  const kept = new Map<string, object>()
  return <Kept extends object>(name: string, build: () => Kept): Kept => {
    const known = (kept.get(name) as Kept | undefined) ?? build()
    // A map has its entries in the order in which they were added.
    kept.delete(name)
    kept.set(name, known)
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string)
    return known
  }
}
