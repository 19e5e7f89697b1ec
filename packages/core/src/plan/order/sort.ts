import type { Resource } from '../../model/model.ts'

/** Sorts a list in place. Most lists are sorted already, and checking that is faster than sorting. */
export function sort<Item>(items: Item[], order: (a: Item, b: Item) => number): void {
  for (let index = 1; index < items.length; index++) {
    if (order(items[index - 1] as Item, items[index] as Item) > 0) {
      items.sort(order)
      return
    }
  }
}

type OfResource = readonly [Resource, unknown]

/** Orders pairs by the rank of their resource, the lowest first, then by its key. */
export function byRank([a]: OfResource, [b]: OfResource): number {
  return a.rank - b.rank || compare(a.key, b.key)
}

/** Orders steps by the rank of their resource, the highest first, then by its key. */
export function byRankDown({ resource: a }: { resource: Resource }, { resource: b }: { resource: Resource }): number {
  return b.rank - a.rank || compare(a.key, b.key)
}

/** By code units, which gives the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
