/**
 * A list of numbers from fast-check that choices are read off. Behind its end every choice is the first one, which is
 * always the plainest: so a shorter tape is a plainer case, and fast-check can shrink whatever is chosen by it.
 */
export class Tape {
  private readonly numbers: readonly number[]
  private next = 0

  constructor(numbers: readonly number[]) {
    this.numbers = numbers
  }

  /** A number from 0 to `count` - 1. */
  upTo(count: number): number {
    const number = this.numbers[this.next] ?? 0
    this.next += 1
    return count > 0 ? number % count : 0
  }

  /** True about once in `count` times, and never behind the end. */
  once(count: number): boolean {
    return this.upTo(count) === count - 1
  }

  /** One of the items; `undefined` if there is none. */
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.upTo(items.length)]
  }

  /** Some of the items, `most` at most, in their order. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const count = this.upTo(Math.min(items.length, most) + 1)
    const chosen = new Set<Item>()
    for (let tries = 0; tries < count; tries += 1) {
      const item = this.of(items)
      if (item !== undefined) chosen.add(item)
    }
    return items.filter((item) => chosen.has(item))
  }

  /** The items in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const rest = [...items]
    const result: Item[] = []
    while (rest.length > 0) result.push(...rest.splice(this.upTo(rest.length), 1))
    return result
  }
}
