import { type KeptStatements, keptStatements } from '../sql/statements.ts'
import { LruCache } from '../sql/text/lru-cache.ts'
import type { JsonStore } from './json-store.ts'

/**
 * The most stores that are kept, and the most statements that all of them keep together. A store of 40 resources takes
 * 30 kB, and a compiled statement 12 to 16 kB. So all of them take 220 to 290 MB at most.
 */
export const MOST_STORES = 1_500
export const MOST_STATEMENTS = 15_000

/** For how many sets of roles it is noted which rights they give. One takes as much as the names of its roles. */
const MOST_SETS_OF_ROLES = 10_000

/** Who is asking, as the application knows it. */
export interface Caller {
  /** Policies and fields name these. */
  readonly roles?: readonly string[]
}

interface Kept {
  /** Undefined once the store was dropped. */
  store: JsonStore | undefined
  readonly key: string
  /** The statements that it keeps. */
  statements: number
}

/** The stores of callers, one for all sets of roles that give the same rights. */
export interface StoresByRights {
  of(roles: readonly string[]): JsonStore
}

/** What makes a store, and tells whether two sets of roles may have the same one. */
export interface StoreMaker {
  rightsKey(roles: ReadonlySet<string>): string
  build(roles: ReadonlySet<string>, statements: KeptStatements): JsonStore
}

/** Where there are too many stores, it drops the one that was not used for longest, and its statements with it. */
export function storesByRights({ rightsKey, build }: StoreMaker): StoresByRights {
  const byRights = new LruCache<string, Kept>(MOST_STORES)
  const byRoles = new LruCache<string, Kept>(MOST_SETS_OF_ROLES)
  let statements = 0

  function make(key: string, roles: ReadonlySet<string>): Kept {
    const kept: Kept = { store: undefined, key, statements: 0 }
    const compiled = keptStatements({
      add(count) {
        kept.statements += count
        // A request may still be using a store that was dropped.
        if (kept.store !== undefined) statements += count
      },
    })
    kept.store = build(roles, compiled)
    return kept
  }

  function keptOf(roles: readonly string[]): Kept {
    const key = JSON.stringify(roles)
    const known = byRoles.get(key)
    if (known?.store !== undefined) return known
    const found = find(new Set(roles))
    byRoles.set(key, found)
    return found
  }

  function find(roles: ReadonlySet<string>): Kept {
    const key = rightsKey(roles)
    return byRights.get(key) ?? make(key, roles)
  }

  function forget(dropped: readonly [string, Kept] | undefined): void {
    if (dropped === undefined) return
    const [, kept] = dropped
    kept.store = undefined
    statements -= kept.statements
  }

  return {
    of(roles) {
      const kept = keptOf(roles)
      forget(byRights.set(kept.key, kept))
      while (statements > MOST_STATEMENTS && byRights.size > 1) forget(byRights.dropOldest())
      return kept.store as JsonStore
    },
  }
}

/** Throws a TypeError if they are no strings. */
export function rolesOf(caller: Caller | undefined): readonly string[] {
  const roles: unknown = caller?.roles ?? []
  if (Array.isArray(roles) && roles.every((role) => typeof role === 'string')) return roles
  throw new TypeError("the caller's `roles` must be an array of strings")
}
