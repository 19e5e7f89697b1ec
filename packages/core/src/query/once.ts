/** Gives what is kept under a name, or builds and keeps it. */
export interface Once {
  <Kept extends object>(name: string, build: () => Kept): Kept
  /** What is kept for a part of the model: so the name need not be put together to look it up. */
  of<Kept extends object>(part: object, name: string | number, build: () => Kept): Kept
}

/** Bodies can ask for many combinations of changed columns; beyond this many kept statements, compiling starts over. */
const MOST_KEPT = 5_000

/** Keeps one more among others. Where they are too many, it drops all others first. */
export function keepAmong<Name, Kept>(among: Map<Name, Kept>, name: Name, kept: Kept): void {
  if (among.size >= MOST_KEPT) among.clear()
  among.set(name, kept)
}

export function onceEach(): Once {
  const kept = new Map<string, object>()
  const keptOf = new WeakMap<object, Map<string | number, object>>()
  const give = <Name, Kept extends object>(among: Map<Name, object>, name: Name, build: () => Kept): Kept => {
    const known = among.get(name)
    if (known !== undefined) return known as Kept
    const built = build()
    keepAmong(among, name, built)
    return built
  }
  const once = <Kept extends object>(name: string, build: () => Kept): Kept => give(kept, name, build)
  const of = <Kept extends object>(part: object, name: string | number, build: () => Kept): Kept => {
    let among = keptOf.get(part)
    if (among === undefined) {
      among = new Map()
      keptOf.set(part, among)
    }
    return give(among, name, build)
  }
  return Object.assign(once, { of })
}
