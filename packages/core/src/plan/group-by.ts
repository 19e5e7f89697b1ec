import type { Resource } from '../model/model.ts'

/**
 * Items that belong together, by what they belong to: in the order in which these first come. For few groups: each item is
 * compared with what others belong to.
 */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups: [Key, Item[]][] = []
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.find(([known]) => known === key)
    if (group === undefined) groups.push([key, [item]])
    else group[1].push(item)
  }
  return groups
}

/** Groups of records in ascending order of their resources' ranks. */
export function sortByRank(groups: [Resource, unknown][]): void {
  const isSorted = groups.every((group, index) => index === 0 || byRank(groups[index - 1] as typeof group, group) <= 0)
  if (!isSorted) groups.sort(byRank)
}

function byRank([a]: [Resource, unknown], [b]: [Resource, unknown]): number {
  return a.rank - b.rank || compare(a.key, b.key)
}

/** By code units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
