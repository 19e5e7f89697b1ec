/**
 * Keeps the values that were used last, so many at most. A map has its entries in the order in which they were added:
 * what is used goes to the end, so the first was not used for longest.
 */
export class LruCache<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  /** The value, which counts as used. While at most half is full, nothing is dropped soon: the order does not
   * matter. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined && this.#entries.size > this.#most / 2) this.#moveToEnd(key, value)
    return value
  }

  /** Keeps a value, which counts as used. Returns what is dropped for it. */
  set(key: Key, value: Value): readonly [Key, Value] | undefined {
    this.#moveToEnd(key, value)
    return this.#entries.size > this.#most ? this.dropOldest() : undefined
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  /** Drops what was not used for longest, and returns it. */
  dropOldest(): readonly [Key, Value] | undefined {
    const [oldest] = this.#entries
    if (oldest !== undefined) this.#entries.delete(oldest[0])
    return oldest
  }

  #moveToEnd(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
