import { setImmediate as nextTurn } from 'node:timers/promises'

/** How many rows one statement may have where the database is part of this process, which does nothing else meanwhile. */
interface Portioned {
  readonly mostRowsAtOnce: number
}

/** Of bodies and records: what the process does with so many takes some milliseconds. */
export const OF_RECORDS: Portioned = { mostRowsAtOnce: 1_000 }

/**
 * Does work with many items: in portions where all at once would keep the process from everything else, with turns of the event loop
 * between and behind. `first`: the index of the portion's first item.
 */
export async function inPortions<Item>(
  { mostRowsAtOnce }: Portioned,
  items: readonly Item[],
  work: (portion: readonly Item[], first: number) => Promise<void> | void,
): Promise<void> {
  if (items.length <= mostRowsAtOnce) return await work(items, 0)
  for (let first = 0; first < items.length; first += mostRowsAtOnce) {
    await work(items.slice(first, first + mostRowsAtOnce), first)
    await nextTurn()
  }
}

/** A turn of the event loop within the work on so many rows; undefined where they are few, or the database waits for no turn of this process. */
export function turnWithin({ mostRowsAtOnce }: Portioned, rows: number): Promise<void> | undefined {
  return rows > mostRowsAtOnce ? nextTurn() : undefined
}
