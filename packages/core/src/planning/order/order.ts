import type { Id } from '../../model/ids/id-kind.ts'
import { isRowMember, type Link, type Reference, type Resource } from '../../model/model.ts'
import type { UniqueChanges } from '../decide/handed-on.ts'
import { sets, type UniqueValues } from '../decide/unique-values.ts'
import {
  type Changes,
  concernsOthers,
  type Insert,
  isRemoved,
  type NumberedRows,
  type Removed,
  removedOf,
  type Update,
} from '../diff/changes.ts'
import { byResource, compareRanks, groupBy, heldId, type MemberValues, type RowId } from '../rows.ts'
import { withKeysLater } from './coming-back.ts'
import type { OrderedChanges, OrderedStep, WritingRows } from './ordered.ts'
import { insertedAlike, oneRowEach } from './split-steps.ts'
import { updateSteps } from './update-steps.ts'

/**
 * Puts changes in the order in which a database takes them, whatever it checks row by row:
 *
 * 1. Links are deleted. Foreign keys that can be null and name records which are deleted next become null.
 * 2. Records are deleted, those that name others first. In between, foreign keys that cannot be null turn from records
 *    that are deleted to others. Records with `softDelete` are marked instead, and no foreign key is in the way.
 * 3. Rows are updated. Before, unique values that other rows take are parked, or rows swap them in one statement. Then
 *    elements of arrays get their numbers.
 * 4. Records are inserted, those that others name first, then links.
 *
 * So what releases a unique value (2, 3) comes before what takes it (3, 4). The number of steps depends on the
 * relations that the write touches, not on the number of rows, and equal changes give equal steps.
 *
 * `unique`: what the changes do to unique values.
 */
export function order(
  changes: Changes,
  unique: UniqueChanges,
  results: readonly RowId[],
  writing: WritingRows,
): OrderedChanges {
  const { rowByRow } = writing
  const steps: OrderedStep[] = []
  if (changes.unlinked.length > 0) unlinks(changes, steps)
  const updates = changes.removed.length > 0 ? removals(changes, unique, writing, steps) : changes.updates
  const split = withKeysLater(changes, updates)
  for (const one of changes.parked ?? []) numbers(one, steps)
  updateSteps(split.updates, unique, writing, steps)
  for (const one of changes.numbered ?? []) numbers(one, steps)
  if (changes.inserts.length > 0) inserts(split.inserts, steps)
  updateSteps(split.later, NOTHING_UNIQUE, writing, steps)
  if (changes.linked.length > 0) links(changes, steps)
  return { steps: rowByRow ? steps.flatMap(oneRowEach) : steps, inserts: changes.inserts, results, rowByRow }
}

function numbers({ array, owner, rows, parked, pointer }: NumberedRows, steps: OrderedStep[]): void {
  for (const some of [parked, rows]) {
    if (some.length === 0) continue
    if (array.kind === 'link') {
      steps.push({ step: 'number', relation: array, rows: some.map((one) => ({ ...one, owner })) })
      continue
    }
    const { target, order } = array
    const valuesOf = (number: number) => target.members.map((member) => (member === order ? number : undefined))
    const numbered = some.map((one) => ({ ...one, values: valuesOf(one.number), pointer }))
    steps.push({ step: 'number', resource: target, rows: numbered })
  }
}

const NOTHING_UNIQUE: UniqueChanges = { changed: [], handedOn: [] }

/** Adds the steps that delete records, and the updates that precede some of them. Returns the other updates. */
function removals(
  changes: Changes,
  unique: UniqueChanges,
  writing: WritingRows,
  steps: OrderedStep[],
): readonly Update[] {
  if (concernsOthers(changes.removed)) {
    unlinksOfAll(changes, steps)
    clears(changes, steps)
    releases(changes, steps)
  }
  const deleted = deletes(changes)
  const mayMove =
    changes.updates.length > 0 &&
    changes.removed.some(({ resource }) => resource.referencedBy.length > 0 && !isMarked(changes, resource))
  const early = mayMove ? earlyUpdates(changes, unique) : undefined
  if (early === undefined || early.size === 0) {
    for (const step of deleted) steps.push(step)
    return changes.updates
  }
  const untilMoved = ranksUntilMoved(changes, early)
  for (const step of deleted) if (step.resource.rank > untilMoved) steps.push(step)
  updateSteps(partsOf(early), unique, writing, steps)
  for (const step of deleted) if (step.resource.rank <= untilMoved) steps.push(step)
  return lateUpdates(changes, early)
}

/**
 * The highest rank of deleted records that foreign keys name until the early updates. Foreign keys that can be null do
 * not count: they are null by then.
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

/** All links of deleted records, in both directions. */
function unlinksOfAll(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    if (resource.links.length + resource.linkedBy.length === 0) continue
    const ids = [...pointers.keys()]
    for (const link of resource.links) unlinkAll(link, 'from', ids, steps)
    // Links of records that need it are kept. If another writer has added one, the database refuses the delete.
    for (const link of resource.linkedBy) if (!link.needs) unlinkAll(link, 'to', ids, steps)
  }
}

/** Two resources may declare the two directions of one link table, but one step is enough. */
function unlinkAll(link: Link, side: 'from' | 'to', ids: readonly Id[], steps: OrderedStep[]): void {
  const column = columnAt(link, side)
  const isThere = steps.some((one) => {
    if (one.step !== 'unlinkAll' || one.relation.table !== link.table) return false
    return columnAt(one.relation, one.side) === column
  })
  if (!isThere) steps.push({ step: 'unlinkAll', relation: link, side, ids })
}

/** The column that a side of a link table is. */
function columnAt({ fromColumn, toColumn }: Link, side: 'from' | 'to'): string {
  return side === 'from' ? fromColumn : toColumn
}

/** Foreign keys of records that know a deleted record become null. What is marked at once may come back at once, and
 * knows the other then. */
function clears(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    for (const relation of resource.referencedBy) {
      if (relation.needs) continue
      const ids = [...pointers.keys()]
      const going = isMarked(changes, resource) ? removedOf(changes, relation.source) : undefined
      steps.push({ step: 'clear', relation, ids, ...(going && { except: [...going.keys()] }) })
    }
  }
}

/**
 * Foreign keys of optional needs become null if their record is deleted too or turns to another target. No other record
 * is changed. If another writer has added one that needs the deleted record, the database refuses the delete.
 */
function releases(changes: Changes, steps: OrderedStep[]): void {
  for (const { resource, pointers } of changes.removed) {
    // What is named stays, so nothing is in the way.
    if (isMarked(changes, resource)) continue
    for (const relation of resource.referencedBy) {
      if (!relation.needs || !relation.nullable) continue
      const { source, position } = relation
      const turning = changes.updates.filter(({ resource, values, before }) => {
        const held = heldId(before, relation)
        return resource === source && values[position] !== undefined && held !== null && pointers.has(held)
      })
      // One statement deletes all rows of a table, so these may name each other.
      const going = source === resource ? [] : (removedOf(changes, source)?.keys() ?? [])
      const ids = [...going, ...turning.map(({ id }) => id)]
      if (ids.length > 0) steps.push({ step: 'release', relation, ids })
    }
  }
}

/** Whether deleted records of the resource are only marked. */
function isMarked({ isForGood }: Changes, { softDelete }: Resource): boolean {
  return softDelete !== undefined && isForGood !== true
}

function deletes(changes: Changes): DeleteStep[] {
  const { removed } = changes
  const steps: DeleteStep[] = []
  // `removed` has owners before what they own.
  for (let index = removed.length - 1; index >= 0; index--) {
    const { resource, pointers } = removed[index] as Removed
    const step = isMarked(changes, resource) ? 'stamp' : 'delete'
    steps.push({ step, resource, ids: [...pointers.keys()] })
  }
  steps.sort((a, b) => b.resource.rank - a.resource.rank || compareRanks(a.resource, b.resource))
  return steps
}

type DeleteStep = Extract<OrderedStep, { step: 'delete' | 'stamp' }>

function inserts(rows: readonly Insert[], steps: OrderedStep[]): void {
  for (const [resource, all] of byResource(rows)) {
    if (all.some(({ comesBack }) => comesBack === 'kept')) {
      restores(resource, all, steps)
      continue
    }
    for (const rows of insertedAlike(resource, all)) steps.push({ step: 'insert', resource, rows })
  }
}

/** The rows are there. They come back without the references to what is not there any more. */
function restores(resource: Resource, rows: readonly Insert[], steps: OrderedStep[]): void {
  const changed = rows.flatMap(({ id, cleared = [], pointer }) => {
    if (cleared.length === 0) return []
    const values = resource.members.map((member) => (cleared.some((one) => one === member) ? null : undefined))
    return [{ id: id as Id, values, pointer }]
  })
  if (changed.length > 0) steps.push({ step: 'update', resource, rows: changed })
  steps.push({ step: 'restore', resource, ids: rows.map(({ id }) => id as Id) })
}

function links(changes: Changes, steps: OrderedStep[]): void {
  for (const [relation, pairs] of groupBy(changes.linked, (one) => one.link)) {
    steps.push({ step: 'link', relation, pairs })
  }
}

/** The updates of which some values are set before records are deleted, and these values. */
type EarlyUpdates = ReadonlyMap<Update, MemberValues>

/**
 * The updates that must precede deletes. A foreign key that cannot be null has to turn from a record that is deleted to
 * one that stays. If it is part of a unique key, the row that holds the new values has to give them up first, and so
 * on.
 */
function earlyUpdates(changes: Changes, { changed, handedOn }: UniqueChanges): EarlyUpdates {
  const early = new Map<Update, unknown[]>()
  const open: Update[] = []
  for (const update of changes.updates) {
    const moving = movesAway(changes, update)
    if (moving.length === 0) continue
    const part = new Array<unknown>(update.resource.members.length)
    for (const { position } of moving) part[position] = update.values[position]
    early.set(update, part)
    open.push(update)
  }
  if (open.length === 0) return early

  const holders = new Map<UniqueValues, UniqueValues>(handedOn.map(({ taker, giver }) => [taker, giver]))
  const updated = changed.filter(({ before }) => before !== undefined)
  const byRow = Map.groupBy(updated, ({ resource, row }) => `${resource.key} ${row}`)
  const updates = new Map(changes.updates.map((update) => [`${update.resource.key} ${update.id}`, update]))
  for (let update = open.pop(); update !== undefined; update = open.pop()) {
    const part = early.get(update) as unknown[]
    for (const one of byRow.get(`${update.resource.key} ${update.id}`) ?? []) {
      if (!sets(part, one.key)) continue
      // First all members of this key, then the row that holds the values it takes. Other keys of this row may have
      // these members, too, so the row is looked at again.
      if (addChanged(one, update, part)) open.push(update)
      const holder = holders.get(one)
      const other = holder && updates.get(`${holder.resource.key} ${holder.row}`)
      if (holder === undefined || other === undefined || other === update) continue
      const others = early.get(other) ?? new Array<unknown>(other.resource.members.length)
      early.set(other, others)
      if (addChanged(holder, other, others)) open.push(other)
    }
  }
  return early
}

/** The foreign keys that cannot be null and turn from a record that is deleted to one that stays. */
function movesAway(changes: Changes, update: Update): Reference[] {
  return update.resource.references.filter((reference) => {
    if (reference.nullable || update.values[reference.position] === undefined) return false
    return isRemoved(changes, reference.target, heldId(update.before, reference))
  })
}

/** Adds the key's values to the part. Returns whether any of them is new. */
function addChanged({ key }: UniqueValues, update: Update, part: unknown[]): boolean {
  let isMore = false
  for (const member of key.dependsOn) {
    if (!isRowMember(member) || part[member.position] === update.values[member.position]) continue
    part[member.position] = update.values[member.position]
    isMore = true
  }
  return isMore
}
