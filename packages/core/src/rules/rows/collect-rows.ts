import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import type { Link, Model, Reference, Resource } from '../../model/model.ts'
import { type Changes, isRemoved, NO_POINTER, removedOf } from '../../plan/diff/changes.ts'
import { otherEnd } from '../../plan/other-end.ts'
import { isNew } from '../../plan/row-id.ts'
import type { RowsAsked } from '../../query/reads/rows-query.ts'
import { rowAlone } from '../../reading/select/selections.ts'
import type { RuleScope } from '../rule-scope.ts'
import { addOwners } from './add-owners.ts'
import { type PlannedWrite, type RowCollection, rowCollection } from './row-collection.ts'
import { lockRows, type RowLocks } from './row-locks.ts'
import type { RuledRow } from './ruled-row.ts'
import type { RuleStatements, StoredRow } from './stored-rows.ts'

/** What rows are collected by. */
export interface Collecting {
  readonly model: Model
  readonly scope: RuleScope
  readonly statements: RuleStatements
  readonly locks: RowLocks
}

/**
 * The rows for which rules run: those that the plan adds, changes or removes, those that lose what they name, and all owners
 * above them. What is not known of them is read, whoever may see it.
 */
export async function collectRows(
  { model, scope, statements, locks }: Collecting,
  session: Session,
  write: PlannedWrite,
): Promise<readonly RuledRow[]> {
  const rows = rowCollection(model, scope, write)
  addPlanned(rows, write)
  await lockOtherEnds(rows, locks, session, write)
  if (write.changes.removed.length > 0) await addLosing(rows, { statements, locks }, session, write)
  await addOwners(rows, scope, statements, session)
  // The database's own policies may keep a row from the caller, whatever rules would see.
  return rows.all().filter(({ resource: { key }, action, record, isAbove }) => {
    const isRuled = isAbove ? scope.asOwner.has(key) : scope.ofOwnRows.has(key)
    return isRuled && (action === 'Add' || record !== undefined)
  })
}

function addPlanned(rows: RowCollection, { changes }: PlannedWrite): void {
  const { inserts, updates, removed, linked, unlinked } = changes
  for (const { resource, row: id, owner, values, pointer } of inserts) {
    const row = rows.at(resource, id, pointer)
    if (row !== undefined) Object.assign(row, { action: 'Add', owner: owner ?? null, values, isInBody: true })
  }
  for (const update of updates) rows.addUpdate(update)
  for (const { resource, pointers } of removed) {
    for (const [id, pointer] of pointers) {
      const row = rows.at(resource, id, pointer === NO_POINTER ? '' : pointer)
      if (row !== undefined) row.action = 'Delete'
    }
  }
  for (const { link, from, to, pointer } of linked) {
    rows.at(link.source, from, pointer)?.linked.push([link, to])
    const other = otherEnd(link)
    const target = other && rows.at(link.target, to, pointer)
    if (target === undefined) continue
    target.linked.push([other as Link, from])
    // A body can name only what its sender may see.
    target.isShown ??= true
  }
  for (const { link, from, to, pointer } of unlinked) {
    rows.at(link.source, from, pointer)?.unlinked.push([link, to])
    const other = otherEnd(link)
    if (other !== undefined) rows.at(link.target, to, pointer)?.unlinked.push([other, from])
  }
}

/** Records at other ends of links have locks of their own: without them, two writers of what links to one would both find it as it was. */
async function lockOtherEnds(
  rows: RowCollection,
  locks: RowLocks,
  session: Session,
  { changes: { linked, unlinked } }: PlannedWrite,
): Promise<void> {
  const others = new Map<Resource, Set<Id>>()
  for (const { link, to } of linked.length + unlinked.length > 0 ? [...linked, ...unlinked] : []) {
    if (isNew(to) || !rows.isInScope(link.target) || otherEnd(link) === undefined) continue
    others.set(link.target, (others.get(link.target) ?? new Set<Id>()).add(to))
  }
  if (others.size > 0) await locks.lock(session, others)
}

/** Adds the rows whose foreign keys and links go because the records are removed that they name. */
async function addLosing(
  rows: RowCollection,
  { statements, locks }: Pick<Collecting, 'statements' | 'locks'>,
  session: Session,
  { changes }: PlannedWrite,
): Promise<void> {
  const asked: RowsAsked[] = []
  const relations: (Reference | Link)[] = []
  for (const { resource, pointers } of changes.removed) {
    const before = asked.length
    const ids = [...pointers.keys()]
    const knowing = resource.referencedBy.filter(({ needs }) => !needs)
    for (const relation of [...knowing, ...resource.linkedBy.filter(({ needs }) => !needs)]) {
      if (!rows.isInScope(relation.source)) continue
      relations.push(relation)
      asked.push({ selection: rowAlone(relation.source), naming: relation, ids })
    }
    // So that nobody names the records until they are removed.
    if (asked.length > before) await lockRows(statements, session, resource, ids, 'for update', 'waits')
  }
  const answers = await locks.readLocked(session, asked)
  for (const [index, relation] of relations.entries()) {
    for (const found of answers[index] ?? []) addLoss(rows, changes, relation, found)
  }
}

function addLoss(
  rows: RowCollection,
  changes: Changes,
  relation: Reference | Link,
  { record, owner }: StoredRow,
): void {
  const { source, target } = relation
  if (isRemoved(changes, source, record.id)) return
  const held = relation.kind === 'reference' ? [record[relation.foreignKey] as Id] : idsOf(record[relation.name])
  const lost = held.filter((id) => isRemoved(changes, target, id))
  const pointers = removedOf(changes, target)
  const pointer = pointers?.get(lost[0] as Id) ?? ''
  const row = rows.at(source, record.id, pointer === NO_POINTER ? '' : pointer)
  if (row === undefined) return
  row.record ??= record
  row.owner ??= owner
  if (relation.kind === 'reference') row.cleared.push(relation.foreignKey)
  else for (const id of lost) row.unlinked.push([relation, id])
}

function idsOf(linked: unknown): readonly Id[] {
  return (linked as readonly { readonly id: Id }[]).map(({ id }) => id)
}
