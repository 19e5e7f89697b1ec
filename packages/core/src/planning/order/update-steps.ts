import type { Resource } from '../../model/model.ts'
import type { UniqueChanges } from '../decide/handed-on.ts'
import type { UniqueValues } from '../decide/unique-values.ts'
import type { Update } from '../diff/changes.ts'
import { byResource } from '../group-by.ts'
import type { OrderedStep, RowUpdate, WritingRows } from './ordered.ts'
import { parking, withParkedBack } from './park.ts'
import { releaseOrder } from './release-order.ts'
import { type Waits, waitsAmong } from './waits.ts'

/** Rows are written singly when the first temporary values were in use. These are other ones. */
const OTHERS = 100_003

/**
 * Adds the steps that update rows. Databases check most unique keys row by row, so rows that swap or rotate values cannot simply
 * be updated: each value is still held by another row.
 *
 * One step parks the rows whose values others take, then one step updates all rows. Where a key has no room to park in (required
 * references, booleans), that one is a swap.
 *
 * If each row is a statement of its own, rows that give up a value come before rows that take it. Only rows that wait for each other
 * are parked or swapped; so are rows whose values are write-only, as others may take them. At first these are not, as others hardly
 * ever do.
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
    dependsOn.some((member) => member.kind !== 'ownedBy' && member.position === position),
  )
}
