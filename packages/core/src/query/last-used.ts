/** The most shapes of queries that are kept. A client can make as many as it likes. */
const MOST_KEPT = 1_000

/** Gives what is kept under a name, or builds and keeps it. Where there are too many, it drops the one that was not used for longest. */
export function lastUsed(): <Kept extends object>(name: string, build: () => Kept) => Kept {
  const kept = new Map<string, object>()
  return <Kept extends object>(name: string, build: () => Kept): Kept => {
    const known = (kept.get(name) as Kept | undefined) ?? build()
    keepAsLast(kept, name, known)
    if (kept.size > MOST_KEPT) dropFirst(kept)
    return known
  }
}

/** Keeps what is used now behind all that was used before. A map has its entries in the order in which they were added. */
export function keepAsLast<Kept>(among: Map<string, Kept>, name: string, kept: Kept): void {
  among.delete(name)
  among.set(name, kept)
}

/** Drops what was not used for longest, and returns its name. */
export function dropFirst(among: Map<string, unknown>): string {
  const name = among.keys().next().value as string
  among.delete(name)
  return name
}
