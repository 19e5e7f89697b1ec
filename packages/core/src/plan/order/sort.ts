import type { Resource } from '../../model/model.ts'

/** Sorts a list in place. Most are in order already, which is quicker to see than to do. */
export function sort<Item>(items: Item[], order: (a: Item, b: Item) => number): void {
  for (let index = 1; index < items.length; index++) {
    if (order(items[index - 1] as Item, items[index] as Item) > 0) {
      items.sort(order)
      return
    }
  }
}

type OfResource = readonly [Resource, unknown]

/** Orders what belongs to resources by their rank, the lowest first, then by their keys. */
export function byRank([a]: OfResource, [b]: OfResource): number {
  return a.rank - b.rank || compare(a.key, b.key)
}

/** The same for steps, with the highest rank first. */
export function byRankDown({ resource: a }: { resource: Resource }, { resource: b }: { resource: Resource }): number {
  return b.rank - a.rank || compare(a.key, b.key)
}

/** By code units: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
