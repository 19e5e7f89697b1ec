import type { QueryContext } from '../context.ts'
import { numberOf, pluginsKey } from '../dialect/kept-for-database.ts'
import { hasFunctions } from '../dialect/sqlite/sqlite-functions.ts'
import { LruCache } from './lru-cache.ts'

/** Is told of statements that are compiled and kept, or no longer kept. */
export interface KeptCount {
  add(statements: number): void
}

/** What stores of one model keep together, in whichever databases they are. */
export class StatementMemory {
  readonly #used: LruCache<Branch<object>, true>
  readonly #count: KeptCount | undefined
  readonly #roots: Branch<object>[] = []

  /** Where there are more than `most`, the one that was not used for longest is dropped. */
  constructor(most: number, count?: KeptCount) {
    this.#used = new LruCache(most)
    this.#count = count
  }

  /** Where the keys of a function begin. The functions of all stores are numbered alike. */
  root(number: number): Branch<object> {
    this.#roots[number] ??= new Branch()
    return this.#roots[number]
  }

  use(leaf: Branch<object>): void {
    this.#used.get(leaf)
  }

  keep(leaf: Branch<object>, kept: object): void {
    leaf.kept = kept
    this.#count?.add(1)
    const [dropped] = this.#used.set(leaf, true) ?? []
    if (dropped === undefined) return
    dropped.kept = undefined
    dropped.prune()
    this.#count?.add(-1)
  }
}

/**
 * Keeps what functions return, so that a statement is compiled once. What a function is called with is the key: its
 * arguments are compared by identity, and lists item by item. So no statement can be taken for another, as nothing
 * makes a name for it. The key begins with all that statements depend on besides, so databases in which that is equal
 * have their statements in common.
 */
export class StatementCache {
  readonly #memory: StatementMemory
  readonly #context: QueryContext
  #compiling: CompilingContext
  #functions = 0

  constructor(memory: StatementMemory, context: QueryContext) {
    this.#memory = memory
    this.#context = context
    this.#compiling = compilingContext(context)
  }

  /**
   * The function that returns what `build` does, and calls it only if nothing is kept. What `build` returns may depend
   * on nothing but the context that it is given and its arguments. `keyOf` gives the key where the arguments also have
   * values that do not matter to it.
   */
  each<Args extends readonly unknown[], Kept extends object>(
    build: (context: QueryContext, ...args: Args) => Kept,
    keyOf?: (...args: Args) => readonly unknown[],
  ): (...args: Args) => Kept {
    const root = this.#memory.root(this.#functions)
    this.#functions += 1
    return (...args) => {
      const { key: first, context } = this.#now()
      const key = keyOf === undefined ? args : keyOf(...args)
      const leaf = root.step(first)?.find(key)
      if (leaf?.kept !== undefined) {
        this.#memory.use(leaf)
        return leaf.kept as Kept
      }
      const built = build(context, ...args)
      this.#memory.keep(root.grow([first]).grow(key), built)
      return built
    }
  }

  #now(): CompilingContext {
    const isOutdated = this.#compiling.context.learnedTypes !== this.#context.learnedTypes.now
    if (isOutdated) this.#compiling = compilingContext(this.#context)
    return this.#compiling
  }
}

/** What statements are compiled with. What is kept may hold it, so nothing in it changes. */
interface CompilingContext {
  readonly context: QueryContext
  /** Equal for contexts that differ in nothing that a statement depends on, but what all stores of one memory have in
   * common. */
  readonly key: string
}

function compilingContext(context: QueryContext): CompilingContext {
  const { db } = context
  const { adapter } = db.getExecutor()
  const learnedTypes = context.learnedTypes.now
  const parts = [
    numberOf(context.dialect),
    numberOf(adapter.constructor),
    hasFunctions(db),
    pluginsKey(db),
    learnedTypes.key,
  ]
  return { context: { ...context, learnedTypes }, key: parts.join(' ') }
}

/** Keys that begin alike share branches: each part of a key leads from one branch to the next. */
class Branch<Kept extends object> {
  kept: Kept | undefined
  readonly above: Branch<Kept> | undefined
  readonly part: unknown
  below: Map<unknown, Branch<Kept>> | undefined

  constructor(above?: Branch<Kept>, part?: unknown) {
    this.above = above
    this.part = part
  }

  /** One part of a key further, if that is known. */
  step(part: unknown): Branch<Kept> | undefined {
    return this.below?.get(part)
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
