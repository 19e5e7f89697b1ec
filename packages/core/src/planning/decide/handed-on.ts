import type { Resource, UniqueKey } from '../../model/model.ts'
import type { RowId } from '../rows.ts'
import type { Facts, Lookups } from './lookups.ts'
import type { UniqueValues } from './unique-values.ts'

/** Values of a unique key that one row of a write gives up and another row takes. */
export interface HandedOn {
  readonly resource: Resource
  readonly giver: UniqueValues
  readonly taker: UniqueValues
}

/** What a write does to unique values. */
export interface UniqueChanges {
  /** All that it sets or changes. */
  readonly changed: readonly UniqueValues[]
  readonly handedOn: readonly HandedOn[]
}

/**
 * The unique values that rows of the write hand on to each other. The database has said who holds which values, so two
 * values are the same if their column takes them for the same, also where it ignores case.
 */
export function uniqueChanges({ changed, holders }: Lookups, facts: Facts): UniqueChanges {
  let givers: ReadonlyMap<UniqueKey, ReadonlyMap<RowId, UniqueValues>> | undefined
  let handedOn: HandedOn[] | undefined
  for (const { resource, key, values } of holders) {
    for (const [index, holder] of facts.holders.get(key) ?? NOBODY) {
      const taker = values[index]
      givers ??= byRow(changed)
      const giver = givers.get(key)?.get(holder)
      if (taker === undefined || giver === undefined || giver === taker) continue
      handedOn ??= []
      handedOn.push({ resource, giver, taker })
    }
  }
  return { changed, handedOn: handedOn ?? NONE }
}

const NOBODY: ReadonlyMap<number, never> = new Map<number, never>()
const NONE: readonly never[] = []

function byRow(changed: readonly UniqueValues[]): ReadonlyMap<UniqueKey, ReadonlyMap<RowId, UniqueValues>> {
  const rows = new Map<UniqueKey, Map<RowId, UniqueValues>>()
  for (const one of changed) {
    const known = rows.get(one.key)
    if (known === undefined) rows.set(one.key, new Map([[one.row, one]]))
    else known.set(one.row, one)
  }
  return rows
}
