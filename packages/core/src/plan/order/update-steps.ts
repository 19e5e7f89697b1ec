import type { Resource } from '../../model/model.ts'
import {
  canCollide,
  holdsWriteOnly,
  memberPointer,
  sets,
  type UniqueValues,
  valueKey,
} from '../decide/unique-values.ts'
import type { Update } from '../diff/changes.ts'
import { byResource } from '../group-by.ts'
import type { RowId } from '../row-id.ts'
import type { OrderedStep, RowUpdate } from './ordered.ts'
import { placeholder } from './park.ts'

/** Rows are written singly when the first temporary values were in use. These are other ones. */
const OTHERS = 100_003

/**
 * Adds the steps that update rows. Databases check unique keys row by row, so rows that swap or rotate values cannot simply
 * be updated: each value is still held by another row.
 *
 * One step parks the rows whose values others take, then one step updates all rows. If each row is a statement of its own,
 * rows that give up a value come before rows that take it, and only a row that closes a circle is parked, or one whose values are
 * write-only: others may take them. At first it is not parked, as they hardly ever do.
 */
export function updateSteps(
  all: readonly Update[],
  changed: readonly UniqueValues[],
  rowByRow: boolean,
  steps: OrderedStep[],
): void {
  if (all.length === 0) return
  for (const [resource, updates] of byResource(all)) {
    // All writers lock rows in ascending order of their ids, so they do not deadlock.
    updates.sort((a, b) => resource.id.compare(a.id, b.id))
    const byRow = changed.length === 0 ? NO_ROWS : rowsById(updates)
    const ours = changedBy(resource, byRow, changed)
    const waits = waitingFor(byRow, ours)
    const writeOnly = rowByRow ? ours.filter(holdsWriteOnly) : NONE
    const mayUpdateAtOnce = waits.size === 0 && writeOnly.length < 2
    const rows = mayUpdateAtOnce
      ? updates
      : parkedFirst(resource, updates, { byRow, waits, writeOnly, rowByRow }, steps)
    steps.push({ step: 'update', resource, rows })
  }
}

/** Adds the step that parks rows. Returns the updates in the order in which they are possible after it. */
function parkedFirst(
  resource: Resource,
  updates: readonly Update[],
  {
    byRow,
    waits,
    writeOnly,
    rowByRow,
  }: { byRow: ByRow; waits: Waits; writeOnly: readonly UniqueValues[]; rowByRow: boolean },
  steps: OrderedStep[],
): readonly Update[] {
  const { sorted, parked } = rowByRow ? byRelease(updates, waits) : { sorted: updates, parked: blocking(waits) }
  for (const holds of writeOnly) park(byRow.get(holds.row) as Update, holds, parked)
  const rows = updates.flatMap((update, number) => {
    const taken = parked.get(update)
    const row = taken && parkedRow(update, taken, rowByRow ? number + OTHERS : number)
    return row === undefined ? [] : [row]
  })
  if (rows.length > 0) steps.push({ step: 'park', resource, rows })
  return sorted
}

/** For each update, the updates that hold a unique value which it takes. */
type Waits = ReadonlyMap<Update, readonly { readonly holder: Update; readonly holds: UniqueValues }[]>

const NO_WAITS: Waits = new Map()
const NONE: readonly never[] = []

/** The unique values that these updates change. */
function changedBy(resource: Resource, byRow: ByRow, changed: readonly UniqueValues[]): readonly UniqueValues[] {
  if (changed.length === 0) return NONE
  return changed.filter((one) => {
    const update = one.resource === resource ? byRow.get(one.row) : undefined
    return update !== undefined && sets(update.values, one.key)
  })
}

type ByRow = ReadonlyMap<RowId, Update>

const NO_ROWS: ByRow = new Map()

function rowsById(updates: readonly Update[]): ByRow {
  return new Map(updates.map((update) => [update.id, update]))
}

function waitingFor(byRow: ByRow, ours: readonly UniqueValues[]): Waits {
  if (ours.length === 0) return NO_WAITS
  const holders = new Map<string, UniqueValues>()
  for (const one of ours) if (one.before !== undefined) holders.set(valueKey(one, one.before), one)
  const waits = new Map<Update, { holder: Update; holds: UniqueValues }[]>()
  for (const one of ours) {
    const holds = holders.get(valueKey(one, one.values))
    if (holds === undefined || holds === one || !canCollide(one.values)) continue
    const update = byRow.get(one.row) as Update
    waits.set(update, [...(waits.get(update) ?? []), { holder: byRow.get(holds.row) as Update, holds }])
  }
  return waits
}

/** The rows to park, each with the values that others take. */
type Parked = Map<Update, Set<UniqueValues>>

function park(holder: Update, holds: UniqueValues, parked: Parked): void {
  parked.set(holder, (parked.get(holder) ?? new Set()).add(holds))
}

/** All rows whose values another row takes. */
function blocking(waits: Waits): Parked {
  const parked: Parked = new Map()
  for (const waited of waits.values()) for (const { holder, holds } of waited) park(holder, holds, parked)
  return parked
}

/** Sorts updates that give up a value before those that take it. Those that close a circle are parked. */
function byRelease(updates: readonly Update[], waits: Waits) {
  const sorted: Update[] = []
  const parked: Parked = new Map()
  const state = new Map<Update, 'open' | 'done'>()
  for (const start of updates) {
    const stack = [start]
    while (stack.length > 0) {
      const update = stack.at(-1) as Update
      if (state.get(update) === 'done') {
        stack.pop()
        continue
      }
      const isFirst = state.get(update) === undefined
      state.set(update, 'open')
      const waited = waits.get(update) ?? []
      if (isFirst) {
        for (const { holder, holds } of waited) {
          if (state.get(holder) === 'open') park(holder, holds, parked)
          else if (state.get(holder) === undefined) stack.push(holder)
        }
        if (stack.at(-1) !== update) continue
      }
      stack.pop()
      state.set(update, 'done')
      sorted.push(update)
    }
  }
  return { sorted, parked }
}

function parkedRow(update: Update, taken: ReadonlySet<UniqueValues>, number: number): RowUpdate | undefined {
  const values = new Array<unknown>(update.resource.members.length)
  let pointer: string | undefined
  for (const { key } of taken) {
    const parked = placeholder(key, update, number)
    if (parked === undefined) continue
    values[parked.member.position] = parked.value
    pointer ??= memberPointer(key, update.pointer)
  }
  return pointer === undefined ? undefined : { id: update.id, values, pointer }
}
