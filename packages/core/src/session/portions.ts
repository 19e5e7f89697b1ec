import { setImmediate as nextTurn } from 'node:timers/promises'

/** How many rows one statement may have where the database is part of this process, which does nothing else meanwhile. */
interface Portioned {
  readonly mostRowsAtOnce: number
}

/**
 * Does work with many items: in portions where one statement would keep the process from everything else, with turns of the event loop
 * between. `first`: the index of the portion's first item.
 */
export async function inPortions<Item>(
  { mostRowsAtOnce }: Portioned,
  items: readonly Item[],
  work: (portion: readonly Item[], first: number) => Promise<void>,
): Promise<void> {
  if (items.length <= mostRowsAtOnce) return await work(items, 0)
  for (let first = 0; first < items.length; first += mostRowsAtOnce) {
    if (first > 0) await nextTurn()
    await work(items.slice(first, first + mostRowsAtOnce), first)
  }
}
