import { type Link, memberName, type Reference } from '../model/model.ts'
import { type Changes, type Insert, isRemoved, type RowId, type Update } from './changes.ts'
import { earlyUpdates, type UpdateParts } from './early-updates.ts'
import { compare, groupBy } from './group-by.ts'
import type { MemberValues } from './member-values.ts'
import type { InsertedRow, LinkedPair, Plan, RelationName, Step } from './plan.ts'
import type { UniqueValues } from './unique-values.ts'
import { updateSteps } from './update-steps.ts'

/**
 * Puts changes in the order in which a database takes them, whatever it checks row by row:
 *
 * 1. links go, and foreign keys of those who know let go of what is about to be deleted;
 * 2. records go, those that name others first; foreign keys of needs that turn from one that goes to another one are
 *    updated in between;
 * 3. rows are updated, unique values that others take being parked before;
 * 4. records are added, those that others name first, then links.
 *
 * What releases a unique value (2, 3) so comes before what takes it (3, 4). The number of steps depends on the
 * relations that the write touches, not on the number of rows, and equal changes give equal plans.
 *
 * `changed`: the unique values that the changes set. With `rowByRow` each row of a step is going to be a statement: then
 * the rows themselves are in order.
 */
export function order(
  changes: Changes,
  changed: readonly UniqueValues[],
  result: RowId | undefined,
  rowByRow = false,
): Plan {
  const steps: Step[] = []
  if (changes.removed.size > 0 || changes.unlinked.length > 0) unlinks(changes, steps)
  if (changes.removed.size > 0) {
    const early = earlyUpdates(changes, changed)
    const untilMoved = ranksUntilMoved(changes, early)
    clears(changes, steps)
    const deleted = deletes(changes)
    for (const { rank, step } of deleted) if (rank > untilMoved) steps.push(step)
    updateSteps(early, changed, rowByRow, steps)
    for (const { rank, step } of deleted) if (rank <= untilMoved) steps.push(step)
    updateSteps(lateUpdates(changes, early), changed, rowByRow, steps)
  } else if (changes.updates.length > 0) {
    updateSteps(allUpdates(changes), changed, rowByRow, steps)
  }
  if (changes.inserts.length > 0) inserts(changes, steps)
  if (changes.linked.length > 0) links(changes, steps)
  return { steps, inserted: changes.inserts.map((insert) => insert.resource.key), result }
}

/** Records of this rank or below may be named by foreign keys that have to turn to others first. */
function ranksUntilMoved(changes: Changes, early: UpdateParts): number {
  let highest = -1
  for (const [{ resource, before }, part] of early) {
    for (const { position, target, foreignKey } of resource.references) {
      if (part[position] === undefined || !isRemoved(changes, target, before[foreignKey] as number)) continue
      highest = Math.max(highest, target.rank)
    }
  }
  return highest
}

function allUpdates({ updates }: Changes): UpdateParts {
  return new Map(updates.map((update) => [update, update.values]))
}

function lateUpdates(changes: Changes, early: UpdateParts): UpdateParts {
  if (early.size === 0) return allUpdates(changes)
  const late = new Map<Update, MemberValues>()
  for (const update of changes.updates) {
    const part = early.get(update)
    const rest =
      part === undefined
        ? update.values
        : update.values.map((value, position) => (part[position] === undefined ? value : undefined))
    if (rest.some((value) => value !== undefined)) late.set(update, rest)
  }
  return late
}

function unlinks(changes: Changes, steps: Step[]): void {
  const single = groupBy(
    changes.unlinked.filter((one) => !isRemoved(changes, one.link.source, one.from as number)),
    (one) => one.link,
  )
  for (const [link, found] of single) {
    const pairs = found.map((one) => [one.from as number, one.to] as const)
    steps.push({ step: 'unlink', relation: nameOf(link), pairs })
  }
  const tables = new Set<string>()
  for (const [resource, removed] of changes.removed) {
    const unlinkAll = (link: Link, side: 'from' | 'to') => {
      // Two resources may declare the two directions of one link table.
      const place = `${link.table} ${side === 'from' ? link.from : link.to}`
      if (tables.has(place)) return
      tables.add(place)
      steps.push({ step: 'unlinkAll', relation: nameOf(link), side, ids: [...removed.keys()] })
    }
    for (const link of resource.links) unlinkAll(link, 'from')
    // Links of those who need it stay: if there are any by then, the database does not let it go.
    for (const link of resource.linkedBy) if (!link.needs) unlinkAll(link, 'to')
  }
}

/** Foreign keys of those who know a record that goes become null. */
function clears(changes: Changes, steps: Step[]): void {
  for (const [resource, removed] of changes.removed) {
    for (const reference of resource.referencedBy) {
      if (!reference.needs) steps.push({ step: 'clear', relation: nameOf(reference), ids: [...removed.keys()] })
    }
  }
}

function deletes(changes: Changes): { rank: number; step: Step }[] {
  const resources = [...changes.removed].sort(([a], [b]) => b.rank - a.rank || compare(a.key, b.key))
  return resources.map(([{ key, rank }, removed]) => ({
    rank,
    step: { step: 'delete', resource: key, ids: [...removed.keys()] },
  }))
}

function inserts(changes: Changes, steps: Step[]): void {
  const byResource = [...groupBy(changes.inserts, (insert) => insert.resource)]
  if (byResource.length > 1) byResource.sort(([a], [b]) => a.rank - b.rank || compare(a.key, b.key))
  for (const [resource, found] of byResource) {
    steps.push({
      step: 'insert',
      resource: resource.key,
      rows: found.map((insert) => toInsertedRow(insert, changes)),
    })
  }
}

function toInsertedRow({ resource, id, row, owner, values, pointer }: Insert, changes: Changes): InsertedRow {
  const named: Record<string, unknown> = {}
  for (const by of resource.ownedBy) named[by.foreignKey] = owner?.by === by ? toRowId(owner.id, changes) : null
  for (const member of resource.members) {
    const value = values[member.position]
    if (value !== undefined) named[memberName(member)] = value
  }
  return { id: id ?? row, values: named, pointer }
}

function links(changes: Changes, steps: Step[]): void {
  for (const [link, found] of groupBy(changes.linked, (one) => one.link)) {
    steps.push({
      step: 'link',
      relation: nameOf(link),
      pairs: found.map((one): LinkedPair => ({ from: toRowId(one.from, changes), to: one.to, pointer: one.pointer })),
    })
  }
}

/** The row's id, where the request asks for one. */
function toRowId(row: RowId, changes: Changes): RowId {
  return typeof row === 'number' ? row : (changes.inserts[row.new]?.id ?? row)
}

function nameOf(relation: Reference | Link): RelationName {
  return { resource: relation.source.key, relation: relation.name }
}
