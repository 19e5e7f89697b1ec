import type { Id } from '../../model/ids.ts'
import type { Link } from '../../model/model.ts'
import type { UniqueValues } from '../decide/unique-values.ts'
import {
  type Changes,
  concernsOthers,
  heldId,
  isRemoved,
  type Removed,
  type RowId,
  removedOf,
  type Update,
} from '../diff/changes.ts'
import { byResource } from './by-resource.ts'
import { type EarlyUpdates, earlyUpdates } from './early-updates.ts'
import { groupBy } from './group-by.ts'
import type { OrderedChanges, OrderedStep } from './ordered.ts'
import { oneRowEach } from './row-by-row.ts'
import { byRankDown, sort } from './sort.ts'
import { updateSteps } from './update-steps.ts'

/**
 * Puts changes in the order in which a database takes them, whatever it checks row by row:
 *
 * 1. links go, and foreign keys that can be null let go of what is about to be deleted;
 * 2. records go, those that name others first; foreign keys that cannot be null and turn from one that goes to another one are
 *    updated in between;
 * 3. rows are updated, unique values that others take being parked before;
 * 4. records are added, those that others name first, then links.
 *
 * What releases a unique value (2, 3) so comes before what takes it (3, 4). The number of steps depends on the
 * relations that the write touches, not on the number of rows, and equal changes give equal steps.
 *
 * `changed`: the unique values that the changes set. With `rowByRow` each row that is written is a step of its own, so that an
 * error of the database tells which row it refused.
 */
export function order(
  changes: Changes,
  changed: readonly UniqueValues[],
  result: RowId | undefined,
  rowByRow = false,
): OrderedChanges {
  const steps: OrderedStep[] = []
  if (changes.unlinked.length > 0) unlinks(changes, steps)
  const updates = changes.removed.length > 0 ? removals(changes, changed, rowByRow, steps) : changes.updates
  updateSteps(updates, changed, rowByRow, steps)
  if (changes.inserts.length > 0) inserts(changes, steps)
  if (changes.linked.length > 0) links(changes, steps)
  return { steps: rowByRow ? steps.flatMap(oneRowEach) : steps, inserts: changes.inserts, result, rowByRow }
}

/** Adds the steps by which records go, with the updates that come before some of them. Gives those that are left. */
function removals(
  changes: Changes,
  changed: readonly UniqueValues[],
  rowByRow: boolean,
  steps: OrderedStep[],
): readonly Update[] {
  if (concernsOthers(changes.removed)) {
    unlinksOfAll(changes, steps)
    clears(changes, steps)
    releases(changes, steps)
  }
  const deleted = deletes(changes)
  const early = earlyUpdates(changes, changed)
  if (early.size === 0) {
    for (const step of deleted) steps.push(step)
    return changes.updates
  }
  const untilMoved = ranksUntilMoved(changes, early)
  for (const step of deleted) if (step.resource.rank > untilMoved) steps.push(step)
  updateSteps(partsOf(early), changed, rowByRow, steps)
  for (const step of deleted) if (step.resource.rank <= untilMoved) steps.push(step)
  return lateUpdates(changes, early)
}

/**
 * Records of this rank or below may be named by foreign keys that have to turn to others first. Those that can be null have
 * let go already.
 */
function ranksUntilMoved(changes: Changes, early: EarlyUpdates): number {
  let highest = -1
  for (const [{ resource, before }, part] of early) {
    for (const reference of resource.references) {
      const { position, target, nullable } = reference
      if (nullable || part[position] === undefined || !isRemoved(changes, target, heldId(before, reference))) continue
      highest = Math.max(highest, target.rank)
    }
  }
  return highest
}

function partsOf(early: EarlyUpdates): readonly Update[] {
  return Array.from(early, ([update, values]) => ({ ...update, values }))
}

function lateUpdates({ updates }: Changes, early: EarlyUpdates): readonly Update[] {
  return updates.flatMap((update) => {
    const part = early.get(update)
    if (part === undefined) return [update]
    const values = update.values.map((value, position) => (part[position] === undefined ? value : undefined))
    return values.some((value) => value !== undefined) ? [{ ...update, values }] : []
  })
}

function unlinks(changes: Changes, steps: OrderedStep[]): void {
  const single = groupBy(
    changes.unlinked.filter((one) => !isRemoved(changes, one.link.source, one.from)),
    (one) => one.link,
  )
  for (const [relation, pairs] of single) steps.push({ step: 'unlink', relation, pairs })
}

/** All links of records that go, in both directions. */
function unlinksOfAll(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    if (resource.links.length + resource.linkedBy.length === 0) continue
    const ids = [...pointers.keys()]
    for (const link of resource.links) unlinkAll(link, 'from', ids, steps)
    // Links of those who need it stay: if there are any by then, the database does not let it go.
    for (const link of resource.linkedBy) if (!link.needs) unlinkAll(link, 'to', ids, steps)
  }
}

/** Two resources may declare the two directions of one link table: once is enough. */
function unlinkAll(link: Link, side: 'from' | 'to', ids: readonly Id[], steps: OrderedStep[]): void {
  const isThere = steps.some((one) => {
    return one.step === 'unlinkAll' && one.relation.table === link.table && one.relation[one.side] === link[side]
  })
  if (!isThere) steps.push({ step: 'unlinkAll', relation: link, side, ids })
}

/** Foreign keys of those who know a record that goes become null. */
function clears(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    for (const reference of resource.referencedBy) {
      if (!reference.needs) steps.push({ step: 'clear', relation: reference, ids: [...pointers.keys()] })
    }
  }
}

/**
 * Foreign keys of optional needs become null where their own record goes too, or turns to another one. No other record is
 * touched: if there is one by then that needs what goes, the database does not let it go.
 */
function releases(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    for (const relation of resource.referencedBy) {
      if (!relation.needs || !relation.nullable) continue
      const { source, position } = relation
      const turning = changes.updates.filter(({ resource, values, before }) => {
        const held = heldId(before, relation)
        return resource === source && values[position] !== undefined && held !== null && pointers.has(held)
      })
      // Rows of one table go in one statement, so they may name each other.
      const going = source === resource ? [] : (removedOf(changes, source)?.keys() ?? [])
      const ids = [...going, ...turning.map(({ id }) => id)]
      if (ids.length > 0) steps.push({ step: 'release', relation, ids })
    }
  }
}

function deletes({ removed }: Changes): DeleteStep[] {
  const steps: DeleteStep[] = []
  // An owner was removed before what it owns.
  for (let index = removed.length - 1; index >= 0; index--) {
    const { resource, pointers } = removed[index] as Removed
    steps.push({ step: 'delete', resource, ids: [...pointers.keys()] })
  }
  sort(steps, byRankDown)
  return steps
}

type DeleteStep = Extract<OrderedStep, { step: 'delete' }>

function inserts(changes: Changes, steps: OrderedStep[]): void {
  for (const [resource, rows] of byResource(changes.inserts)) steps.push({ step: 'insert', resource, rows })
}

function links(changes: Changes, steps: OrderedStep[]): void {
  for (const [relation, pairs] of groupBy(changes.linked, (one) => one.link)) {
    steps.push({ step: 'link', relation, pairs })
  }
}
