import type { Field, ForeignKey, Link, Reference } from '../model/model.ts'
import { type Changes, type Insert, isRemoved, type RowId, type Update } from './changes.ts'
import { earlyUpdates, type UpdatePart } from './early-updates.ts'
import { compare, groupBy } from './group-by.ts'
import type { InsertedRow, LinkedPair, Plan, RelationName, Step } from './plan.ts'
import { changedUniqueValues } from './unique-values.ts'
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
 * With `rowByRow` each row of a step is going to be a statement: then the rows themselves are in order.
 */
export function order(changes: Changes, result: RowId | undefined, rowByRow = false): Plan {
  const changed = changes.updates.length === 0 ? [] : changedUniqueValues(changes)
  const early = earlyUpdates(changes, changed)
  const deleted = deletes(changes)
  const untilMoved = ranksUntilMoved(changes, early)
  return {
    steps: [
      ...unlinks(changes),
      ...clears(changes),
      ...deleted.filter(({ rank }) => rank > untilMoved).map(({ step }) => step),
      ...updateSteps(early, changed, rowByRow),
      ...deleted.filter(({ rank }) => rank <= untilMoved).map(({ step }) => step),
      ...updateSteps(lateUpdates(changes, early), changed, rowByRow),
      ...inserts(changes),
      ...links(changes),
    ],
    inserted: changes.inserts.map((insert) => insert.resource.key),
    result,
  }
}

/** Records of this rank or below may be named by foreign keys that have to turn to others first. */
function ranksUntilMoved(changes: Changes, early: UpdatePart): number {
  if (early.size === 0) return -1
  const ranks = [...early].flatMap(([update, members]) =>
    [...members].flatMap((member) =>
      member.kind === 'reference' && isRemoved(changes, member.target, update.before[member.foreignKey] as number)
        ? [member.target.rank]
        : [],
    ),
  )
  return Math.max(-1, ...ranks)
}

function lateUpdates(changes: Changes, early: UpdatePart): UpdatePart {
  const late = new Map<Update, Set<Field | Reference>>()
  for (const update of changes.updates) {
    const members = new Set(update.values.keys())
    for (const member of early.get(update) ?? []) members.delete(member)
    if (members.size > 0) late.set(update, members)
  }
  return late
}

function unlinks(changes: Changes): Step[] {
  const steps: Step[] = []
  if (changes.unlinked.length === 0 && changes.removed.size === 0) return steps
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
  return steps
}

/** Foreign keys of those who know a record that goes become null. */
function clears(changes: Changes): Step[] {
  const steps: Step[] = []
  for (const [resource, removed] of changes.removed) {
    for (const reference of resource.referencedBy) {
      if (!reference.needs) steps.push({ step: 'clear', relation: nameOf(reference), ids: [...removed.keys()] })
    }
  }
  return steps
}

function deletes(changes: Changes): { rank: number; step: Step }[] {
  const resources = [...changes.removed].sort(([a], [b]) => b.rank - a.rank || compare(a.key, b.key))
  return resources.map(([{ key, rank }, removed]) => ({
    rank,
    step: { step: 'delete', resource: key, ids: [...removed.keys()] },
  }))
}

function inserts(changes: Changes): Step[] {
  const byResource = [...groupBy(changes.inserts, (insert) => insert.resource)].sort(
    ([a], [b]) => a.rank - b.rank || compare(a.key, b.key),
  )
  return byResource.map(([resource, found]) => ({
    step: 'insert',
    resource: resource.key,
    rows: found.map((insert) => toInsertedRow(insert, changes)),
  }))
}

function toInsertedRow(insert: Insert, changes: Changes): InsertedRow {
  const values: Record<string, unknown> = {}
  for (const owner of insert.resource.ownedBy) {
    values[owner.foreignKey] = insert.owner?.by === owner ? toRowId(insert.owner.id, changes) : null
  }
  for (const [member, value] of insert.values) values[nameOfMember(member)] = value
  return { id: insert.id ?? insert.row, values, pointer: insert.pointer }
}

function links(changes: Changes): Step[] {
  if (changes.linked.length === 0) return []
  return [...groupBy(changes.linked, (one) => one.link)].map(([link, found]) => ({
    step: 'link',
    relation: nameOf(link),
    pairs: found.map((one): LinkedPair => ({ from: toRowId(one.from, changes), to: one.to, pointer: one.pointer })),
  }))
}

/** The row's id, where the request asks for one. */
function toRowId(row: RowId, changes: Changes): RowId {
  return typeof row === 'number' ? row : (changes.inserts[row.new]?.id ?? row)
}

function nameOfMember(member: Field | ForeignKey): string {
  return member.kind === 'field' ? member.name : member.foreignKey
}

function nameOf(relation: Reference | Link): RelationName {
  return { resource: relation.source.key, relation: relation.name }
}
