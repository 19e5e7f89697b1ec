import { isRowMember, type Resource } from '../../model/model.ts'
import type { UniqueChanges } from '../decide/handed-on.ts'
import { holdsWriteOnly, sets, type UniqueValues } from '../decide/unique-values.ts'
import type { Update } from '../diff/changes.ts'
import type { RowId } from '../rows.ts'
import { byResource, groupBy } from '../rows.ts'
import type { OrderedStep, RowUpdate, WritingRows } from './ordered.ts'
import { parking, withParkedBack } from './park.ts'

/** Rows are written singly when the first temporary values were in use. These are other ones. */
const OTHERS = 100_003

/**
 * Adds the steps that update rows. Databases check most unique keys row by row, so rows that swap or rotate values
 * cannot simply be updated: each value is still held by another row.
 *
 * One step parks the rows whose values others take, then one step updates all rows. Where a key has no room to park in
 * (required references, booleans), that one is a swap.
 *
 * If each row is a statement of its own, rows that give up a value come before rows that take it. Only rows that wait
 * for each other are parked or swapped; so are rows whose values are write-only, as others may take them. At first
 * these are not, as others hardly ever do.
 */
export function updateSteps(
  all: readonly Update[],
  unique: UniqueChanges,
  writing: WritingRows,
  steps: OrderedStep[],
): void {
  if (all.length === 0) return
  for (const [resource, updates] of byResource(all)) {
    // All writers lock rows in ascending order of their ids, so they do not deadlock.
    updates.sort((a, b) => resource.id.compare(a.id, b.id))
    const waits = waitsAmong(resource, updates, unique, writing)
    if (waits.size === 0) {
      steps.push({ step: 'update', resource, rows: updates })
      continue
    }
    const numbers = new Map(updates.map((update, index) => [update, writing.rowByRow ? index + OTHERS : index]))
    const groups = writing.rowByRow ? releaseOrder(updates, waits) : [updates]
    for (const group of groups) addGroup(resource, group, { waits, numbers, writing }, steps)
  }
}

interface Grouping {
  readonly waits: Waits
  /** For each update, the number of its temporary values. */
  readonly numbers: ReadonlyMap<Update, number>
  readonly writing: WritingRows
}

/** Adds the steps that update a group. */
function addGroup(
  resource: Resource,
  group: readonly Update[],
  { waits, numbers, writing }: Grouping,
  steps: OrderedStep[],
): void {
  const held = heldWithin(group, waits)
  const parked: RowUpdate[] = []
  const squeezed: RowUpdate[] = []
  const rows = group.map((update) => {
    const values = held.get(update)
    if (values === undefined) return update
    const temporary = parking(update, values, numbers.get(update) ?? 0)
    if (temporary.squeezed !== undefined) squeezed.push(temporary.squeezed)
    if (temporary.parked === undefined) return update
    ;(writing.parks ? parked : squeezed).push(temporary.parked)
    return withParkedBack(update, temporary.parked)
  })
  if (parked.length > 0) steps.push({ step: 'park', resource, rows: parked })
  if (squeezed.length === 0) steps.push({ step: 'update', resource, rows })
  else if (!writing.rowByRow) steps.push({ step: 'swap', resource, rows, parked: squeezed })
  else {
    // An error then tells the row, unless it is about a key.
    steps.push({
      step: 'swap',
      resource,
      rows: partsOf(rows, (position) => isInKey(resource, position)),
      parked: squeezed,
    })
    const others = partsOf(rows, (position) => !isInKey(resource, position))
    if (others.length > 0) steps.push({ step: 'update', resource, rows: others })
  }
}

/** The values that each row of the group holds, and another one of it takes. */
function heldWithin(group: readonly Update[], waits: Waits): ReadonlyMap<Update, ReadonlySet<UniqueValues>> {
  const inGroup = new Set(group)
  const held = new Map<Update, Set<UniqueValues>>()
  for (const update of group) {
    for (const { holder, holds } of waits.get(update) ?? []) {
      if (!inGroup.has(holder)) continue
      const known = held.get(holder)
      if (known === undefined) held.set(holder, new Set([holds]))
      else known.add(holds)
    }
  }
  return held
}

/** The updates with some of their values, as far as there are any. */
function partsOf(updates: readonly Update[], isWanted: (position: number) => boolean): readonly RowUpdate[] {
  return updates.flatMap(({ id, values, pointer }) => {
    const part = values.map((value, position) => (isWanted(position) ? value : undefined))
    return part.some((value) => value !== undefined) ? [{ id, values: part, pointer }] : []
  })
}

function isInKey({ uniques }: Resource, position: number): boolean {
  return uniques.some(({ dependsOn }) =>
    dependsOn.some((member) => isRowMember(member) && member.position === position),
  )
}

/**
 * Groups updates so that each group waits for rows of its own and of earlier groups only. Rows that wait for each other
 * are one group; all other rows are groups of their own. These are the strongly connected components, found by Tarjan's
 * algorithm.
 */
function releaseOrder(updates: readonly Update[], waits: Waits): readonly (readonly Update[])[] {
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

/** For each update, what it waits for. */
type Waits = ReadonlyMap<Update, readonly Wait[]>

/** A row has to wait until another one has given up a unique value. */
interface Wait {
  readonly holder: Update
  readonly holds: UniqueValues
}

const NO_WAITS: Waits = new Map()

/**
 * Which updates of a resource wait for which. Rows whose values are write-only wait for each other only if each row is
 * written singly: they may take each other's values, but hardly ever do.
 */
function waitsAmong(
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
  const alike = Map.groupBy(rows, (one) => idsIn(one, one.before ?? []))
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
