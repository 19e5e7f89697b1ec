import type { Field, ForeignKey, Link, Reference } from '../model/model.ts'
import { type Changes, type Insert, isRemoved, type RowId, type Update } from './changes.ts'
import { parkedRows } from './park.ts'
import type { InsertedRow, LinkedPair, Plan, RelationName, Step, UpdatedRow } from './plan.ts'

/**
 * Puts changes in the order in which a database takes them, whatever it checks row by row:
 *
 * 1. links go, and foreign keys let go of what is about to be deleted;
 * 2. records go, those that name others first;
 * 3. unique values that another row takes are parked, then rows are updated;
 * 4. records are added, those that others name first, then links.
 *
 * What releases a unique value (1 to 3) so comes before what takes it (3 and 4). The number of steps depends on the
 * relations that the write touches, not on the number of rows, and equal changes give equal plans.
 */
export function order(changes: Changes, result: RowId | undefined): Plan {
  const parked = parkedRows(changes)
  return {
    steps: [
      ...unlinks(changes),
      ...letsGo(changes),
      ...deletes(changes),
      ...updates('park', [...parked.keys()], (update) => parked.get(update) as UpdatedRow),
      ...updates('update', changes.updates, (update) => toRow(update, update.values)),
      ...inserts(changes),
      ...links(changes),
    ],
    inserted: changes.inserts.map((insert) => insert.resource.key),
    result,
  }
}

function unlinks(changes: Changes): Step[] {
  const steps: Step[] = []
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
    const ids = [...removed.keys()]
    const unlinkAll = (link: Link, side: 'from' | 'to') => {
      // Two resources may declare the two directions of one link table.
      const place = `${link.table} ${side === 'from' ? link.from : link.to}`
      if (tables.has(place)) return
      tables.add(place)
      steps.push({ step: 'unlinkAll', relation: nameOf(link), side, ids })
    }
    for (const link of resource.links) unlinkAll(link, 'from')
    for (const link of resource.linkedBy) unlinkAll(link, 'to')
  }
  return steps
}

/** Foreign keys that name a record which goes: those of records that stay, before the record goes. */
function letsGo(changes: Changes): Step[] {
  const steps: Step[] = []
  for (const [resource, removed] of changes.removed) {
    for (const reference of resource.referencedBy) {
      if (!reference.needs) steps.push({ step: 'clear', relation: nameOf(reference), ids: [...removed.keys()] })
    }
  }
  const moving = changes.updates.filter((update) => movesAway(changes, update).length > 0)
  const toMovedRow = (update: Update) =>
    toRow(update, new Map(movesAway(changes, update).map((member) => [member, update.values.get(member)])))
  return [...steps, ...updates('update', moving, toMovedRow)]
}

/** The foreign keys of needs that turn from a record which goes to one that stays. */
function movesAway(changes: Changes, update: Update): Reference[] {
  return update.resource.references.filter((reference) => {
    if (!reference.needs || !update.values.has(reference)) return false
    return isRemoved(changes, reference.target, update.before[reference.foreignKey] as number)
  })
}

function deletes(changes: Changes): Step[] {
  const resources = [...changes.removed].sort(([a], [b]) => b.rank - a.rank || compare(a.key, b.key))
  return resources.map(([resource, removed]) => ({ step: 'delete', resource: resource.key, ids: [...removed.keys()] }))
}

function updates(step: 'park' | 'update', of: readonly Update[], toUpdated: (update: Update) => UpdatedRow): Step[] {
  const byResource = [...groupBy(of, (update) => update.resource)].sort(
    ([a], [b]) => a.rank - b.rank || compare(a.key, b.key),
  )
  return byResource.map(([resource, found]) => {
    // Rows are locked in ascending order of their ids by whoever writes several.
    const rows = found.map(toUpdated).sort((a, b) => a.id - b.id)
    return { step, resource: resource.key, rows }
  })
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

function toRow(update: Update, values: Update['values']): UpdatedRow {
  const named = Object.fromEntries([...values].map(([member, value]) => [nameOfMember(member), value]))
  return { id: update.id, values: named, pointer: update.pointer }
}

function nameOfMember(member: Field | ForeignKey): string {
  return member.kind === 'field' ? member.name : member.foreignKey
}

function nameOf(relation: Reference | Link): RelationName {
  return { resource: relation.source.key, relation: relation.name }
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
