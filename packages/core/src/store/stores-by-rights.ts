import { dropFirst, type KeptCount, keepAsLast } from '../query/text/last-used.ts'
import type { JsonStore } from './json-store.ts'

/**
 * The most stores that are kept, and the most statements that all of them keep together. A store of 40 resources takes 30 kB, and a
 * compiled statement 12 to 16 kB. So all of them take 220 to 290 MB at most.
 */
export const MOST_STORES = 1_500
export const MOST_STATEMENTS = 15_000

/** For how many sets of roles it is noted which rights they give. One takes as much as the names of its roles. */
const MOST_SETS_OF_ROLES = 10_000

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
  build(roles: ReadonlySet<string>, count: KeptCount): JsonStore
}

/** Where there are too many stores, it drops the one that was not used for longest, and its statements with it. */
export function storesByRights({ rightsKey, build }: StoreMaker): StoresByRights {
  const byRights = new Map<string, Kept>()
  const byRoles = new Map<string, Kept>()
  let statements = 0

  function make(key: string, roles: ReadonlySet<string>): Kept {
    const kept: Kept = { store: undefined, key, statements: 0 }
    kept.store = build(roles, {
      add(count) {
        kept.statements += count
        // A request may still be using a store that was dropped.
        if (kept.store !== undefined) statements += count
      },
    })
    return kept
  }

  function keptOf(roles: readonly string[]): Kept {
    const key = JSON.stringify(roles)
    const known = byRoles.get(key)
    const given = known?.store === undefined ? find(new Set(roles)) : known
    keepAsLast(byRoles, key, given)
    if (byRoles.size > MOST_SETS_OF_ROLES) dropFirst(byRoles)
    return given
  }

  function find(roles: ReadonlySet<string>): Kept {
    const key = rightsKey(roles)
    return byRights.get(key) ?? make(key, roles)
  }

  function dropExcess(): void {
    while (byRights.size > MOST_STORES || (statements > MOST_STATEMENTS && byRights.size > 1)) {
      const dropped = byRights.get(byRights.keys().next().value as string) as Kept
      byRights.delete(dropped.key)
      dropped.store = undefined
      statements -= dropped.statements
    }
  }

  return {
    of(roles) {
      const kept = keptOf(roles)
      keepAsLast(byRights, kept.key, kept)
      dropExcess()
      return kept.store as JsonStore
    },
  }
}
