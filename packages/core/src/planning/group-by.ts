import type { Resource } from '../model/model.ts'

/**
 * Groups items by a key, in the order of the keys' first items. For few groups only: an item that does not belong to the
 * last group is compared with all of them.
 */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups: [Key, Item[]][] = []
  for (const item of items) {
    const key = keyOf(item)
    let group = groups.at(-1)
    if (group !== undefined && group[0] !== key) group = groups.find(([known]) => known === key)
    if (group === undefined) groups.push([key, [item]])
    else group[1].push(item)
  }
  return groups
}

/** Groups rows by resource, in ascending order of rank. */
export function byResource<Row extends { readonly resource: Resource }>(rows: readonly Row[]): [Resource, Row[]][] {
  return groupBy(rows, ({ resource }) => resource).sort(([a], [b]) => compareRanks(a, b))
}

/** Orders resources by rank, the lowest first, then by key: by code units, which gives the same order on every machine. */
export function compareRanks(a: Resource, b: Resource): number {
  return a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
}
