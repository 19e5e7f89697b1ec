import { LruCache } from './lru-cache.ts'

/** Is told of statements that are compiled and kept, or no longer kept. */
export interface KeptCount {
  add(statements: number): void
}

/** Something that may change. */
export interface Versioned {
  readonly version: number
}

/**
 * Keeps what functions return, so that a statement is compiled once. What a function is called with is the key: its arguments are
 * compared by identity, and lists item by item. So no statement can be taken for another, as nothing makes a name for it.
 *
 * Clients can ask for any number of statements. Where there are too many, the one that was not used for longest is dropped.
 */
export class StatementCache {
  readonly #used: LruCache<Branch<object>, true>
  readonly #count: KeptCount | undefined
  readonly #versioned: Versioned

  /** `versioned`: what statements depend on besides what their functions are called with. */
  constructor(most: number, versioned: Versioned, count?: KeptCount) {
    this.#used = new LruCache(most)
    this.#versioned = versioned
    this.#count = count
  }

  /**
   * The function that returns what `build` does, and calls it only if nothing is kept. What `build` returns may depend on nothing but its
   * arguments, the version and what never changes. `keyOf` gives the key where the arguments also have values that do not matter to it.
   */
  each<Args extends readonly unknown[], Kept extends object>(
    build: (...args: Args) => Kept,
    keyOf?: (...args: Args) => readonly unknown[],
  ): (...args: Args) => Kept {
    const root = new Branch<Kept>()
    return (...args) => {
      const key = keyOf === undefined ? args : keyOf(...args)
      const leaf = root.find(key)
      if (leaf?.kept !== undefined && leaf.version === this.#versioned.version) {
        this.#used.get(leaf)
        return leaf.kept
      }
      const built = build(...args)
      this.#keep(root.grow(key), built)
      return built
    }
  }

  #keep<Kept extends object>(leaf: Branch<Kept>, kept: Kept): void {
    if (leaf.kept === undefined) this.#count?.add(1)
    leaf.kept = kept
    leaf.version = this.#versioned.version
    const [dropped] = this.#used.set(leaf, true) ?? []
    if (dropped === undefined) return
    dropped.kept = undefined
    dropped.prune()
    this.#count?.add(-1)
  }
}

/** Keys that begin alike share branches: each part of a key leads from one branch to the next. */
class Branch<Kept extends object> {
  kept: Kept | undefined
  version = 0
  readonly above: Branch<Kept> | undefined
  readonly part: unknown
  below: Map<unknown, Branch<Kept>> | undefined

  constructor(above?: Branch<Kept>, part?: unknown) {
    this.above = above
    this.part = part
  }

  /** Where the key ends, if it is known. */
  find(key: readonly unknown[]): Branch<Kept> | undefined {
    let branch: Branch<Kept> | undefined = this
    for (const part of key) {
      branch = Array.isArray(part) ? branch.below?.get(part.length)?.find(part) : branch.below?.get(part)
      if (branch === undefined) return undefined
    }
    return branch
  }

  /** The same, with the branches that were missing. */
  grow(key: readonly unknown[]): Branch<Kept> {
    return key.reduce<Branch<Kept>>((branch, part) => {
      return Array.isArray(part) ? branch.#add(part.length).grow(part) : branch.#add(part)
    }, this)
  }

  /** Removes what leads nowhere any more. */
  prune(): void {
    if (this.kept !== undefined || this.below !== undefined) return
    const above = this.above
    if (above === undefined || above.below === undefined) return
    above.below.delete(this.part)
    if (above.below.size > 0) return
    above.below = undefined
    above.prune()
  }

  #add(part: unknown): Branch<Kept> {
    this.below ??= new Map()
    let next = this.below.get(part)
    if (next === undefined) {
      next = new Branch<Kept>(this, part)
      this.below.set(part, next)
    }
    return next
  }
}
