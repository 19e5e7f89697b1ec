import type { Update } from '../diff/changes.ts'
import type { Waits } from './waits.ts'

/**
 * Groups updates so that each group waits for rows of its own and of earlier groups only. Rows that wait for each other are one group;
 * all other rows are groups of their own. These are the strongly connected components, found by Tarjan's algorithm.
 */
export function releaseOrder(updates: readonly Update[], waits: Waits): readonly (readonly Update[])[] {
  const groups: Update[][] = []
  const visits = new Map<Update, Visit>()
  const ungrouped: Visit[] = []
  const visit = (update: Update): Visit => {
    const one = { update, number: visits.size, lowest: visits.size, next: 0, isGrouped: false }
    visits.set(update, one)
    ungrouped.push(one)
    return one
  }
  for (const start of updates) {
    if (visits.has(start)) continue
    // No recursion: a chain may be as long as a body.
    const path = [visit(start)]
    for (let one = path.at(-1); one !== undefined; one = path.at(-1)) {
      const holder = waits.get(one.update)?.[one.next]?.holder
      if (holder !== undefined) {
        one.next += 1
        const known = visits.get(holder)
        if (known === undefined) path.push(visit(holder))
        else if (!known.isGrouped) one.lowest = Math.min(one.lowest, known.number)
        continue
      }
      path.pop()
      const before = path.at(-1)
      if (before !== undefined) before.lowest = Math.min(before.lowest, one.lowest)
      if (one.lowest === one.number) groups.push(grouped(ungrouped.splice(ungrouped.indexOf(one))))
    }
  }
  return groups
}

interface Visit {
  readonly update: Update
  readonly number: number
  /** The lowest number of a row that it waits for, directly or not, and that waits for it. */
  lowest: number
  /** The index of the wait to look at next. */
  next: number
  isGrouped: boolean
}

function grouped(visits: readonly Visit[]): Update[] {
  return visits.map((one) => {
    one.isGrouped = true
    return one.update
  })
}
