import { rowAlone } from '../../asking/select/selections.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Model, OrderedArray, Reference, Resource } from '../../model/model.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import { rearranged } from '../../planning/diff/arrange.ts'
import { type Changes, isRemoved, NO_POINTER, removedOf } from '../../planning/diff/changes.ts'
import type { Listed } from '../../planning/diff/diff.ts'
import { findListed } from '../../planning/diff/find-listed.ts'
import { isNew, type RecordOwner, type RowId } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { RuleScope } from '../rule-scope.ts'
import { type RuledRow, ruledRow } from './row-change.ts'
import { lockRows, type RowLocks } from './row-locks.ts'
import { readRows, type StoredRow } from './stored-rows.ts'
import type { ReadRecord, RowOwner, Tree } from './tree.ts'

type CollectedWith = Pick<Collecting, 'model' | 'scope' | 'statements' | 'locks' | 'session'>

/**
 * The rows for which rules run: those that the plan adds, changes or removes, those that lose what they name, and all
 * owners above them. Rows that are not known completely are read, whoever may see them.
 */
export async function collectRows(using: CollectedWith, write: PlannedWrite): Promise<readonly RuledRow[]> {
  const { model, scope, statements, locks, session } = using
  const draftOf = findListed(write.listed)
  const to: Collecting = { model, scope, statements, locks, session, write, draftOf, rows: [], byKey: new Map() }
  addPlanned(to)
  await lockOtherEnds(to)
  await addLosing(to)
  await addOwners(to)
  // The database's own policies may keep a row from the caller, although rules would see it.
  return to.rows.filter(({ resource: { key }, action, record, isAbove }) => {
    const isRuled = isAbove ? scope.asOwner.has(key) : scope.ofOwnRows.has(key)
    return isRuled && (action === 'Add' || record !== undefined)
  })
}

function addPlanned(to: Collecting): void {
  const { changes } = to.write
  const { inserts, updates, removed, linked, unlinked, moved = [] } = changes
  for (const { resource, row: id, owner, values, pointer, comesBack } of inserts) {
    const isRestored = comesBack !== undefined
    const row = rowAt(to, resource, id, pointer)
    if (row !== undefined)
      Object.assign(row, { action: 'Add', isRestored, owner: owner ?? null, values, isInBody: true })
  }
  for (const { resource, id, owner, values, pointer } of updates) {
    const row = rowAt(to, resource, id, pointer)
    if (row !== undefined) Object.assign(row, { owner: owner ?? row.owner, values, isInBody: true })
  }
  for (const { resource, id, from, to: movedTo = null, pointer } of moved) {
    const row = rowAt(to, resource, id, pointer)
    if (row !== undefined) Object.assign(row, { owner: from ?? null, movedTo })
  }
  for (const { resource, pointers } of removed) {
    for (const [id, pointer] of pointers) {
      const row = rowAt(to, resource, id, pointerInBody(pointer))
      if (row !== undefined) row.action = 'Delete'
    }
  }
  for (const { link, from, to: target, pointer } of linked) {
    rowAt(to, link.source, from, pointer)?.linked.push([link, target])
    const other = otherEnd(link)
    const row = other && rowAt(to, link.target, target, pointer)
    if (other === undefined || row === undefined) continue
    row.linked.push([other, from])
    // A body can name only records that the caller may see.
    row.isShown ??= true
  }
  for (const { link, from, to: target, pointer } of unlinked) {
    rowAt(to, link.source, from, pointer)?.unlinked.push([link, target])
    const other = otherEnd(link)
    if (other !== undefined) rowAt(to, link.target, target, pointer)?.unlinked.push([other, from])
  }
  for (const { array, owner, pointer } of rearranged(changes)) addRearranged(to, array, owner, pointer)
}

/** A record of which an array gets another order changes below; of links, it changes itself. */
function addRearranged(to: Collecting, { kind, name, source }: OrderedArray, owner: Id, pointer: string): void {
  const known = knownRow(to, source, owner)
  const row = known ?? rowAt(to, source, owner, pointer)
  if (row === undefined || kind === 'link') return
  row.isAbove = known?.isAbove ?? true
  if (row.action === 'Edit' && !row.changedBelow.includes(name)) row.changedBelow.push(name)
}

/** Records at other ends of links have locks of their own: without them, two writers that link to one would both find
 * it as it was. */
async function lockOtherEnds({ scope, locks, session, write }: Collecting): Promise<void> {
  const { linked, unlinked } = write.changes
  const others = new Map<Resource, Set<Id>>()
  for (const { link, to } of [...linked, ...unlinked]) {
    if (!scope.ofRows.has(link.target.key) || otherEnd(link) === undefined) continue
    others.set(link.target, (others.get(link.target) ?? new Set<Id>()).add(to))
  }
  if (others.size > 0) await locks.lock(session, others)
}

/** Adds the rows that lose a foreign key or a link, because the record that it names is removed. */
async function addLosing(to: Collecting): Promise<void> {
  const { scope, statements, locks, session, write } = to
  const losing: (RowsAsked & { readonly naming: Reference | Link })[] = []
  for (const { resource, pointers } of write.changes.removed) {
    const relations = [...resource.referencedBy, ...resource.linkedBy].filter(
      ({ needs, source }) => !needs && scope.ofRows.has(source.key),
    )
    if (relations.length === 0) continue
    const ids = [...pointers.keys()]
    for (const naming of relations) losing.push({ selection: rowAlone(naming.source), naming, ids })
    // So that nobody names the records until they are removed.
    await lockRows(statements, session, resource, ids, 'for update', 'waits')
  }
  const answers = await locks.readLocked(session, losing)
  for (const [index, { naming }] of losing.entries()) {
    for (const found of answers[index] ?? []) addLoss(to, write.changes, naming, found)
  }
}

function addLoss(to: Collecting, changes: Changes, relation: Reference | Link, { record, owner }: StoredRow): void {
  const { source, target } = relation
  if (isRemoved(changes, source, record.id)) return
  const held = relation.kind === 'reference' ? [record[relation.foreignKey] as Id] : idsOf(record[relation.name])
  const lost = held.filter((id) => isRemoved(changes, target, id))
  const pointer = removedOf(changes, target)?.get(lost[0] as Id) ?? ''
  const row = rowAt(to, source, record.id, pointerInBody(pointer))
  if (row === undefined) return
  row.record ??= record
  row.owner ??= owner
  if (relation.kind === 'reference') row.cleared.push(relation.foreignKey)
  else for (const id of lost) row.unlinked.push([relation, id])
}

/** Adds the owners above the rows, up to the root, and reads all rows that are not known completely. */
async function addOwners(to: Collecting): Promise<void> {
  const { scope, statements, session } = to
  let open = to.rows.slice()
  while (open.length > 0) {
    // Goes up as far as owners are known, so that one query reads all that is missing. The list grows while it is
    // walked.
    for (const row of open) if (leadsUp(row, scope)) addOwner(to, row, open)
    const lacking = open.filter((row) => row.owner === undefined || lacksRecord(row, scope))
    const ownerless = lacking.filter((row) => row.owner === undefined && leadsUp(row, scope))
    const read = await readRows(statements, session, lacking, [])
    for (const [row, stored] of read) Object.assign(row, stored)
    open = ownerless.filter((row) => row.owner !== undefined)
  }
}

/** Whether rules ask for the row's owner, or run for it. */
function leadsUp({ resource: { key } }: RuledRow, { ofOwners, takesOwner }: RuleScope): boolean {
  return ofOwners.has(key) || takesOwner.has(key)
}

function lacksRecord({ resource, action, record, isTaken }: RuledRow, { ofOwnRows }: RuleScope): boolean {
  return action !== 'Add' && record === undefined && (isTaken || ofOwnRows.has(resource.key))
}

/** Adds the owner of a row, if it is known which one that is; of a row that moves, both owners. */
function addOwner(to: Collecting, row: RuledRow, open: RuledRow[]): void {
  for (const owner of [row.owner, row.movedTo]) if (owner) addOwnerOf(to, row, owner, open)
  if (row.movedTo === null) row.above = undefined
}

function addOwnerOf(to: Collecting, row: RuledRow, owner: RecordOwner<RowId>, open: RuledRow[]): void {
  const { scope } = to
  const { pointer } = row
  const { target, inverse } = owner.by
  const known = knownRow(to, target, owner.id)
  const above = known ?? rowAt(to, target, owner.id, pointer)
  if (above === undefined) return
  row.above = above
  const lacked = lacksRecord(above, scope)
  if (scope.takesOwner.has(row.resource.key)) above.isTaken = true
  const { changedBelow } = above
  if (above.action === 'Edit' && !changedBelow.includes(inverse.name)) changedBelow.push(inverse.name)
  if (known === undefined) above.isAbove = true
  // It is open if it is new here, or if only now its record is needed.
  if (known === undefined || (!lacked && lacksRecord(above, scope))) open.push(above)
}

function idsOf(linked: unknown): readonly Id[] {
  return (linked as readonly { readonly id: Id }[]).map(({ id }) => id)
}

function pointerInBody(pointer: string): string {
  return pointer === NO_POINTER ? '' : pointer
}

/** A write as it is planned, and the records that it has read. */
interface PlannedWrite {
  readonly changes: Changes
  /** The records that the body lists. */
  readonly listed: readonly Listed[]
  /** The record that the request names and all that it owns, as the caller sees it; empty for a new record. */
  readonly tree: Tree
  /** The owners that the request's path names. They are not read. */
  readonly owners: readonly OwnerInPath[]
  /** A policy may hide links from the caller, so no record of the tree is complete. */
  readonly hidesLinks: boolean
  /** Of the caller: a record of the tree that lacks fields is not complete. */
  readonly fieldRights: FieldRights
}

export interface OwnerInPath {
  readonly resource: Resource
  readonly id: Id
  readonly owner: RowOwner
}

/** The rows of a write that rules may run for, each once, and the parts that are needed to find them. */
interface Collecting {
  readonly model: Model
  readonly scope: RuleScope
  readonly statements: RuleStatements
  readonly locks: RowLocks
  readonly session: Session
  readonly write: PlannedWrite
  readonly draftOf: ReturnType<typeof findListed>
  /** In the order in which they were met. */
  readonly rows: RuledRow[]
  /** The rows by the keys of their resources and by their ids. */
  readonly byKey: Map<string, Map<RowId, RuledRow>>
}

/** The row, if it was met before. */
function knownRow({ byKey }: Collecting, { key }: Resource, id: RowId): RuledRow | undefined {
  return byKey.get(key)?.get(id)
}

/** The row, to be filled in; undefined if no rule runs for such rows. `pointer`: for a row that the body does not
 * list. */
function rowAt(to: Collecting, { key }: Resource, id: RowId, pointer: string): RuledRow | undefined {
  const { model, scope, rows, byKey } = to
  if (!scope.ofRows.has(key) && !scope.isTaken.has(key)) return undefined
  const ofKey = byKey.get(key) ?? new Map<RowId, RuledRow>()
  const known = ofKey.get(id)
  if (known !== undefined) return known
  const resource = model.resources.get(key) as Resource
  const row = isNew(id) ? ruledRow(resource, id, pointer) : storedRow(to, resource, id, pointer)
  rows.push(row)
  byKey.set(key, ofKey.set(id, row))
  return row
}

function storedRow({ write, draftOf }: Collecting, resource: Resource, id: Id, pointer: string): RuledRow {
  const inPath = write.owners.find((one) => one.id === id && one.resource.key === resource.key)
  const draft = draftOf(resource, id)
  const row = ruledRow(resource, id, inPath === undefined ? (draft?.pointer ?? pointer) : '')
  row.isInBody = draft !== undefined
  const read = write.tree.get(resource.key)?.get(id)
  if (read === undefined && inPath === undefined) return row
  row.isShown = true
  row.owner = (inPath ?? read)?.owner
  if (read !== undefined && isComplete(write, read)) row.record = read.record
  return row
}

/** Whether a record was read with all fields and links. */
function isComplete(
  { hidesLinks, fieldRights }: PlannedWrite,
  { resource: { fields, links }, record }: ReadRecord,
): boolean {
  return !hidesLinks && fields.every(fieldRights.sees) && links.every(({ name }) => name in record)
}
