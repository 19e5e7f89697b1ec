/** Random choices that can be repeated: the same seed gives the same ones. */
export interface Random {
  /** From 0 up to, but without, `below`. */
  int(below: number): number
  /** Whether something happens that does so in this share of all cases. */
  chance(share: number): boolean
  /** One of the items; undefined if there is none. */
  pick<Item>(items: readonly Item[]): Item | undefined
  /** Some of the items, at most so many, in any order. */
  some<Item>(items: readonly Item[], most: number): Item[]
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    chance: (share) => next() < share,
    pick: (items) => items[int(items.length)],
    some(items, most) {
      const left = [...items]
      const count = Math.min(left.length, int(most + 1))
      return Array.from({ length: count }, () => left.splice(int(left.length), 1)[0] as (typeof items)[number])
    },
  }
}
