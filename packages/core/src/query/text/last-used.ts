/** Is told of statements that are compiled and kept, or no longer kept. */
export interface KeptCount {
  add(statements: number): void
}

/** The most shapes of queries that are kept. A client can make as many as it likes. */
const MOST_KEPT = 1_000

/** Gives what is kept under a name, or builds and keeps it. Where there are too many, it drops the one that was not used for longest. */
export function lastUsed(count?: KeptCount): <Kept extends object>(name: string, build: () => Kept) => Kept {
  const kept = new Map<string, object>()
  return <Kept extends object>(name: string, build: () => Kept): Kept => {
    const known = kept.get(name) as Kept | undefined
    const given = known ?? build()
    if (known === undefined) count?.add(1)
    keepAsLast(kept, name, given)
    if (kept.size > MOST_KEPT) {
      dropFirst(kept)
      count?.add(-1)
    }
    return given
  }
}

/** Keeps what is used now behind all that was used before. A map has its entries in the order in which they were added. */
export function keepAsLast<Name, Kept>(among: Map<Name, Kept>, name: Name, kept: Kept): void {
  among.delete(name)
  among.set(name, kept)
}

/** Drops what was not used for longest, and returns its name. */
export function dropFirst<Name>(among: Map<Name, unknown>): Name {
  const name = among.keys().next().value as Name
  among.delete(name)
  return name
}
