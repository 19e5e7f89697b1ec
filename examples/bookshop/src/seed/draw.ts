/** Draws that look random and are the same on every machine and in every run. */
export interface Draw {
  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number
  /** One of a list that is not empty. */
  one<Item>(list: readonly Item[]): Item
  /** Up to `count` different ones of a list. */
  some<Item>(list: readonly Item[], count: number): Item[]
}

/** The well-known mulberry32 generator. */
export function drawFrom(seed: number): Draw {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  const one = <Item>(list: readonly Item[]): Item => list[below(list.length)] as Item
  const some = <Item>(list: readonly Item[], count: number): Item[] => {
    const chosen = new Set<Item>()
    for (let tries = 0; tries < count; tries += 1) chosen.add(one(list))
    return [...chosen]
  }
  return { below, one, some }
}
