import type { Resource } from '../../model/model.ts'
import type { UniqueChanges } from '../decide/handed-on.ts'
import { holdsWriteOnly, sets, type UniqueValues } from '../decide/unique-values.ts'
import type { Update } from '../diff/changes.ts'
import { groupBy } from '../group-by.ts'
import type { RowId } from '../rows.ts'
import type { WritingRows } from './ordered.ts'

/** For each update, what it waits for. */
export type Waits = ReadonlyMap<Update, readonly Wait[]>

/** A row has to wait until another one has given up a unique value. */
export interface Wait {
  readonly holder: Update
  readonly holds: UniqueValues
}

const NO_WAITS: Waits = new Map()

/**
 * Which updates of a resource wait for which. Rows whose values are write-only wait for each other only if each row is written singly:
 * they may take each other's values, but hardly ever do.
 */
export function waitsAmong(
  resource: Resource,
  updates: readonly Update[],
  { changed, handedOn }: UniqueChanges,
  { rowByRow }: WritingRows,
): Waits {
  if (changed.length === 0) return NO_WAITS
  const byRow = new Map<RowId, Update>(updates.map((update) => [update.id, update]))
  const waits = new Map<Update, Wait[]>()
  const add = (taker: UniqueValues, holds: UniqueValues): void => {
    const [update, holder] = [updateOf(byRow, taker), updateOf(byRow, holds)]
    if (update === undefined || holder === undefined) return
    const known = waits.get(update)
    if (known === undefined) waits.set(update, [{ holder, holds }])
    else known.push({ holder, holds })
  }
  for (const one of handedOn) if (one.resource === resource) add(one.taker, one.giver)
  if (rowByRow) {
    const unknown = changed.filter((one) => one.resource === resource && holdsWriteOnly(one))
    for (const [, rows] of groupBy(unknown, ({ key }) => key)) addUnknown(rows, add)
  }
  return waits
}

/** The update that sets the values, unless it comes earlier or later. */
function updateOf(byRow: ReadonlyMap<RowId, Update>, { row, key }: UniqueValues): Update | undefined {
  const update = byRow.get(row)
  return update !== undefined && sets(update.values, key) ? update : undefined
}

/** Only the database knows who takes whose values of this key. Whoever names other records than the holder does not. */
function addUnknown(rows: readonly UniqueValues[], add: (taker: UniqueValues, holds: UniqueValues) => void): void {
  const alike = new Map<string, UniqueValues[]>()
  for (const one of rows) {
    const ids = idsIn(one, one.before ?? [])
    const known = alike.get(ids)
    if (known === undefined) alike.set(ids, [one])
    else known.push(one)
  }
  for (const holders of alike.values()) {
    // In a circle: each waits for all others.
    for (const [index, one] of holders.entries()) {
      const next = holders[(index + 1) % holders.length]
      if (next !== undefined && next !== one) add(one, next)
    }
  }
  for (const one of rows) {
    const [holder] = alike.get(idsIn(one, one.values)) ?? []
    if (holder !== undefined && holder !== one) add(one, holder)
  }
}

function idsIn({ key }: UniqueValues, values: readonly unknown[]): string {
  return JSON.stringify(values.filter((_, index) => key.members[index]?.kind !== 'field'))
}
