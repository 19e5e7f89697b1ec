import {
  allowsWhatItShows,
  mayForbid,
  ownersOf,
  type Rights,
  type RowAction,
  restricts,
  staysEditable,
} from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import type { InvisibleResources } from '../body/draft.ts'
import { rearranged } from '../diff/arrange.ts'
import { type Changes, isEmpty, NO_POINTER, type OwnerKind, type Removed } from '../diff/changes.ts'
import type { Diff, Listed } from '../diff/diff.ts'
import type { Move } from '../diff/move.ts'
import { isNew, type MemberValues, type RecordOwner, type RowId } from '../rows.ts'
import { isShared } from './planned-actions.ts'

/** Rows of which a policy has to allow what the write does to them. */
export interface GuardedRows<Row extends RowId = RowId> {
  readonly resource: Resource
  readonly action: RowAction
  /** With a JSON pointer to what asks for it in the body; undefined where the body shows nothing of the row. */
  readonly rows: Map<Row, string | undefined>
  /** `again`: it was allowed, so a no means that others have taken the right away since. */
  readonly when: 'once' | 'again'
}

/** The records that a request names. Whether they may be written is known as soon as they are read. */
export interface OwnRecords {
  /** Undefined: every row is asked about. */
  readonly resource: Resource | undefined
  /** Of those that are there. */
  readonly ids: ReadonlySet<Id>
  /** The owners of those that it creates or deletes. Their policies were asked already. */
  readonly owners: readonly RecordOwner[]
}

/** What a body changes, and the records that it lists. */
export type PlannedDiff = Pick<Diff, 'changes' | 'listed'>

/**
 * The rows that a write changes, as they are before it: those that a policy may forbid. Not the request's own records,
 * and not what the plan has seen of them where the rule that shows a row allows the action, too. What goes with its
 * owner may be unseen.
 */
export function guardedBefore(diff: PlannedDiff, rights: Rights, own: OwnRecords): readonly GuardedRows<Id>[] {
  const { changes } = diff
  const guarded = new RowsByAction<Id>()
  const add = (action: RowAction, resource: Resource, id: Id, pointer?: string) => {
    const isOwn = resource === own.resource && own.ids.has(id)
    if (!isOwn && !isAskedWithOwn(rights, resource, own.resource)) guarded.add(action, resource, id, pointer)
  }
  const addSeen = (action: RowAction, resource: Resource, id: Id, pointer?: string) => {
    if (!allowsWhatItShows(rights, resource, action)) add(action, resource, id, pointer)
  }
  for (const { resource, id, pointer } of changes.updates) addSeen('EditBefore', resource, id, pointer)
  for (const { link, from, to, pointer } of [...changes.linked, ...changes.unlinked]) {
    if (!isNew(from)) addSeen('EditBefore', link.source, from, pointer)
    if (isShared(link)) guarded.add('EditBefore', link.target, to, pointer)
  }
  for (const { array, owner, pointer } of rearranged(changes)) addSeen('EditBefore', array.source, owner, pointer)
  for (const move of changes.moved ?? []) guardMove(move, rights, (...row) => guarded.add(...row))
  for (const { resource, owner, pointer } of changes.inserts) {
    if (owner === undefined || isNew(owner.id) || rights.rules.has(resource)) continue
    const isAsked = own.owners.some(({ by, id }) => by === owner.by && id === owner.id)
    if (!isAsked) addSeen('EditBefore', owner.by.target, owner.id, pointer)
  }
  for (const { resource, pointers, withOwner } of changes.removed) {
    const hasOwn = rights.rules.has(resource)
    for (const [id, pointer] of pointers) {
      // What goes with its owner needs no more than what the owner needs, unless it has a policy of its own.
      if (!withOwner.has(id)) addSeen('Delete', resource, id, pointer === NO_POINTER ? undefined : pointer)
      else if (hasOwn) add('Delete', resource, id)
    }
  }
  for (const { id, draft } of editedRecords(diff)) {
    if (rights.rules.has(draft.resource)) addSeen('EditBefore', draft.resource, id, draft.pointer)
  }
  return guarded.all.filter(({ resource, action }) => mayForbid(rights, resource, action))
}

/**
 * A moved record leaves its owner as one that is deleted: by its own policy, or else by the `Edit` of both owners. What
 * goes with it is asked by policies of its own.
 */
function guardMove(
  { resource, id, from, to, pointer, below }: Move,
  rights: Rights,
  add: RowsByAction<Id>['add'],
): void {
  const hasOwn = rights.rules.has(resource)
  if (hasOwn) add('Delete', resource, id, pointer)
  else for (const owner of [from, to]) if (owner) add('EditBefore', owner.by.target, owner.id, pointer)
  for (const one of below) if (rights.rules.has(one.resource)) add('EditBefore', one.resource, one.id, undefined)
}

/**
 * The rows that a write leaves otherwise than they were, as they are stored. The database may store other values than
 * it was given. A record is such a row, too, if a body changes no more of it than what it owns, and so is the owner of
 * a record that the request creates or deletes, if that has no policy: their policies may speak of what they own.
 */
export function guardedAfter(diff: PlannedDiff, rights: Rights, own: OwnRecords | undefined): readonly GuardedRows[] {
  const guarded = changedRows(diff.changes, rights)
  const add = (resource: Resource, id: Id, pointer: string | undefined) => {
    const mayChange = mayForbid(rights, resource, 'EditAfter') && !staysEditable(rights, resource)
    if (mayChange) guarded.add('EditAfter', resource, id, pointer)
  }
  for (const { id, draft } of editedRecords(diff)) {
    const isOwn = draft.resource === own?.resource && own.ids.has(id)
    if (isOwn || rights.rules.has(draft.resource)) add(draft.resource, id, draft.pointer)
  }
  for (const { link, to, pointer } of [...diff.changes.linked, ...diff.changes.unlinked]) {
    if (isShared(link)) add(link.target, to, pointer)
  }
  for (const { by, id } of own === undefined ? NONE : ownersEdited(rights, own)) add(by.target, id, undefined)
  for (const { resource, from, to } of diff.changes.moved ?? NONE) {
    if (rights.rules.has(resource)) continue
    for (const owner of [from, to]) if (owner) add(owner.by.target, owner.id, undefined)
  }
  return guarded.all
}

/** The owners whose `Edit` is asked when records are added or deleted: where these have no policy. */
export function ownersEdited(rights: Rights, { resource, owners }: OwnRecords): readonly RecordOwner[] {
  return resource === undefined || rights.rules.has(resource) ? NONE : owners
}

const NONE: readonly never[] = []

/** The rows that a write adds, or of which it changes values or links, as far as they have a policy of their own. */
export function changedRows(changes: Changes, rights: Rights): RowsByAction<RowId> {
  const guarded = new RowsByAction<RowId>()
  const add = (action: 'Add' | 'EditAfter', resource: Resource, row: RowId, pointer: string) => {
    if (restricts(rights, resource, action)) guarded.add(action, resource, row, pointer)
  }
  for (const { resource, row, pointer } of changes.inserts) add('Add', resource, row, pointer)
  for (const { resource, id, pointer } of changes.updates) add('EditAfter', resource, id, pointer)
  for (const { link, from, to, pointer } of [...changes.linked, ...changes.unlinked]) {
    if (!isNew(from)) add('EditAfter', link.source, from, pointer)
    if (isShared(link)) add('EditAfter', link.target, to, pointer)
  }
  for (const { array, owner, pointer } of rearranged(changes)) add('EditAfter', array.source, owner, pointer)
  for (const { resource, id, pointer } of changes.moved ?? NONE) add('Add', resource, id, pointer)
  return guarded
}

/** Whether the request's own record decides on rows of the resource: these have no policy, and neither has an owner in
 * between. */
function isAskedWithOwn(rights: Rights, resource: Resource, own: Resource | undefined): boolean {
  if (own === undefined || rights.rules.has(resource)) return false
  if (resource === own) return true
  return ownersOf(resource).every((owner) => {
    // The records of a tree with a policy are asked one by one.
    if (owner === own) return own.recursive.length === 0 || !rights.rules.has(own)
    return isAskedWithOwn(rights, owner, own)
  })
}

export class RowsByAction<Row extends RowId> {
  readonly all: GuardedRows<Row>[] = []
  readonly #when: GuardedRows['when']

  constructor(when: GuardedRows['when'] = 'once') {
    this.#when = when
  }

  add(action: RowAction, resource: Resource, row: Row, pointer: string | undefined): void {
    let known = this.all.find((one) => one.action === action && one.resource === resource)
    if (known === undefined) {
      known = { action, resource, rows: new Map(), when: this.#when }
      this.all.push(known)
    }
    if (!known.rows.has(row)) known.rows.set(row, pointer)
  }
}

/**
 * How many records changes add, change or remove. A record whose links change is changed. One whose foreign key or link
 * goes because its target is deleted does not count, and neither does what the caller may not see.
 */
export function affectedRecords(changes: Changes, hidden: InvisibleResources): number {
  const changed = new Map<Resource, Set<Id>>()
  const change = (resource: Resource, id: Id): void => {
    const ids = changed.get(resource) ?? new Set()
    changed.set(resource, ids.add(id))
  }
  for (const { resource, id } of changes.updates) change(resource, id)
  for (const { array, owner } of rearranged(changes)) change(array.source, owner)
  for (const { link, from, to } of [...changes.linked, ...changes.unlinked]) {
    if (!isNew(from)) change(link.source, from)
    if (isShared(link) && !hidden.has(link.target)) change(link.target, to)
  }
  let count = changes.inserts.length
  for (const ids of changed.values()) count += ids.size
  for (const { pointers } of visibleRemovals(changes.removed, hidden)) count += pointers.size
  return count
}

/** Without those of hidden resources, and those below them. Owners come before what they own. The request's own record
 * always counts. */
function visibleRemovals(removed: readonly Removed[], hidden: InvisibleResources): readonly Removed[] {
  const unseen = new Set<OwnerKind>(hidden)
  return removed.filter(({ resource, owners }) => {
    if (owners.has('addressed')) return true
    const isSeen = !unseen.has(resource) && ![...owners].every((owner) => unseen.has(owner))
    if (!isSeen) unseen.add(resource)
    return isSeen
  })
}

/**
 * The records of the body that a PUT or PATCH changes: their fields, their links, what they own, or the order of that,
 * at any depth. The request's own record comes first.
 */
export function editedRecords({ changes, listed }: Pick<Diff, 'changes' | 'listed'>): readonly Listed[] {
  if (listed.length === 0 || isEmpty(changes)) return []
  const changed = pointersAbove(changes, listed)
  return listed.filter(({ draft }) => changed.has(draft.pointer))
}

/** The pointers of all changes, and those of all that the body has around them. */
function pointersAbove(changes: Changes, listed: readonly Listed[]): ReadonlySet<string> {
  const { inserts, updates, removed, linked, unlinked } = changes
  const pointers = new Set<string>()
  const add = (pointer: string): void => {
    for (let above = pointer; !pointers.has(above); above = above.slice(0, above.lastIndexOf('/'))) {
      pointers.add(above)
      if (above === '') return
    }
  }
  for (const one of [...inserts, ...updates, ...linked, ...unlinked]) add(one.pointer)
  for (const one of removed) for (const pointer of one.pointers.values()) add(pointer)
  for (const pointer of pointersToRearranged(changes, listed)) add(pointer)
  return pointers
}

/** The body says a place in an element, but it is the owner that changes. An element's own body has no owner. */
function pointersToRearranged(changes: Changes, listed: readonly Listed[]): readonly string[] {
  const all = rearranged(changes)
  if (all.length === 0) return NONE
  const owners = new Map<Resource, Map<Id, string>>()
  for (const { array, owner, pointer } of all) {
    owners.set(array.source, (owners.get(array.source) ?? new Map<Id, string>()).set(owner, pointer))
  }
  const pointers: string[] = []
  for (const { id, draft } of listed) {
    if (owners.get(draft.resource)?.delete(id)) pointers.push(draft.pointer)
  }
  for (const unlisted of owners.values()) pointers.push(...unlisted.values())
  return pointers
}

/** A row with a policy of its own as a write would store it. */
export type PlannedRow = AddedRow | EditedRow

export interface AddedRow {
  readonly resource: Resource
  readonly action: 'Add'
  readonly id?: undefined
  /** The foreign keys of owners. Null where the write does not know it yet. */
  readonly owners: readonly (Id | null)[]
  /** Undefined where only the database knows it. */
  readonly values: MemberValues
}

interface EditedRow {
  readonly resource: Resource
  /** `Add`: it comes to another owner. */
  readonly action: 'EditAfter' | 'Add'
  readonly id: Id
  /** What the write sets. All else is as it is stored. */
  readonly values: MemberValues
}

export function plannedRows(changes: Changes, rights: Rights): readonly PlannedRow[] {
  const { inserts, updates, moved } = changes
  const planned: PlannedRow[] = []
  for (const { resource, owner, values } of inserts) {
    if (!restricts(rights, resource, 'Add')) continue
    planned.push({ resource, action: 'Add', owners: ownerKeys(resource, owner), values })
  }
  for (const { resource, id, values } of updates) {
    if (restricts(rights, resource, 'EditAfter')) planned.push({ resource, action: 'EditAfter', id, values })
    const isMoved = moved?.some((one) => one.resource === resource && one.id === id)
    if (isMoved && restricts(rights, resource, 'Add')) planned.push({ resource, action: 'Add', id, values })
  }
  return [...planned, ...linkedRows(changes, rights)]
}

/** Rows of which only the links change: they are stored as they are. */
function linkedRows(changes: Changes, rights: Rights): readonly EditedRow[] {
  const { updates } = changes
  return changedRows(changes, rights).all.flatMap(({ resource, action, rows }) => {
    const isSet = (id: Id) => updates.some((update) => update.resource === resource && update.id === id)
    const ids = [...rows.keys()].filter((row) => !isNew(row) && !isSet(row))
    return action === 'EditAfter' ? (ids as Id[]).map((id) => ({ resource, action, id, values: [] })) : []
  })
}

function ownerKeys(
  { ownedBy }: Resource,
  owner: { readonly by: OwnerReference; readonly id: RowId } | undefined,
): readonly (Id | null)[] {
  return ownedBy.map((by) => (owner?.by === by && !isNew(owner.id) ? owner.id : null))
}
