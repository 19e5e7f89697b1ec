import { dropFirst, type KeptCount, keepAsLast } from './last-used.ts'

/** Gives what is kept under a name, or builds and keeps it. */
export interface Once {
  <Kept extends object>(name: string, build: () => Kept): Kept
  /** What is kept for a part of the model: so the name need not be put together to look it up. */
  of<Kept extends object>(part: object, name: string | number, build: () => Kept): Kept
}

/** Bodies can ask for many combinations of changed columns. */
const MOST_KEPT = 5_000

/** From this many on, it is noted which one was used last. Nearly always there are fewer. */
const NOTED_FROM = 2_500

/** Gives what is kept under a name, or builds and keeps it. Where there are too many, it drops the one that was not used for longest. */
export function keptAmong<Name, Kept>(among: Map<Name, Kept>, name: Name, build: () => Kept, count?: KeptCount): Kept {
  const known = among.get(name)
  if (known !== undefined) {
    if (among.size >= NOTED_FROM) keepAsLast(among, name, known)
    return known
  }
  const built = build()
  among.set(name, built)
  count?.add(1)
  if (among.size > MOST_KEPT) {
    dropFirst(among)
    count?.add(-1)
  }
  return built
}

/** `count` is told of all that is kept. */
export function onceEach(count?: KeptCount): Once {
  const kept = new Map<string, object>()
  const keptOf = new WeakMap<object, Map<string | number, object>>()
  const give = <Name, Kept extends object>(among: Map<Name, object>, name: Name, build: () => Kept): Kept =>
    keptAmong(among, name, build, count) as Kept
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
