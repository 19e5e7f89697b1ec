import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import {
  allowsWhatItShows,
  mayForbid,
  ownersOf,
  type Rights,
  type RowAction,
  restricts,
} from '../../policies/rights.ts'
import { type Changes, NO_POINTER } from '../diff/changes.ts'
import { isNew, type RowId } from '../row-id.ts'
import { isShared } from './planned-actions.ts'

/** Rows of which a policy has to allow what the write does to them. */
export interface GuardedRows<Row extends RowId = RowId> {
  readonly resource: Resource
  readonly action: RowAction
  /** With a JSON pointer to what asks for it in the body; undefined where the body shows nothing of the row. */
  readonly rows: Map<Row, string | undefined>
}

/** The record that a request names. Whether it may be written is known as soon as it is read. */
export interface OwnRecord {
  readonly resource: Resource
  /** Undefined for a record that is to be created: then its owner's policy was asked already. */
  readonly id: Id | undefined
}

/**
 * The rows that a write changes, as they are before it: those that a policy may forbid. Not the request's own record, and not what the
 * plan has seen of it where the rule that shows a row allows the action, too. What goes with its owner may be unseen.
 */
export function guardedBefore(changes: Changes, rights: Rights, own: OwnRecord): readonly GuardedRows<Id>[] {
  const guarded = new Collection<Id>()
  const add = (action: RowAction, resource: Resource, id: Id, pointer?: string) => {
    const isOwn = resource === own.resource && id === own.id
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
  for (const { resource, owner, pointer } of changes.inserts) {
    if (owner === undefined || isNew(owner.id) || rights.rules.has(resource)) continue
    if (own.id !== undefined) addSeen('EditBefore', owner.by.target, owner.id, pointer)
  }
  for (const { resource, pointers, withOwner } of changes.removed) {
    const hasOwn = rights.rules.has(resource)
    for (const [id, pointer] of pointers) {
      // What goes with its owner needs no more than what the owner needs, unless it has a policy of its own.
      if (!withOwner.has(id)) addSeen('Delete', resource, id, pointer === NO_POINTER ? undefined : pointer)
      else if (hasOwn) add('Delete', resource, id)
    }
  }
  return guarded.all.filter(({ resource, action }) => mayForbid(rights, resource, action))
}

/** The rows that a write has stored, as far as they have a policy of their own. The database may store other values than it was given. */
export function guardedAfter(changes: Changes, rights: Rights): readonly GuardedRows[] {
  const guarded = new Collection<RowId>()
  const add = (action: 'Add' | 'EditAfter', resource: Resource, row: RowId, pointer: string) => {
    if (restricts(rights, resource, action)) guarded.add(action, resource, row, pointer)
  }
  for (const { resource, row, pointer } of changes.inserts) add('Add', resource, row, pointer)
  for (const { resource, id, pointer } of changes.updates) add('EditAfter', resource, id, pointer)
  for (const { link, from, to, pointer } of [...changes.linked, ...changes.unlinked]) {
    if (!isNew(from)) add('EditAfter', link.source, from, pointer)
    if (isShared(link)) add('EditAfter', link.target, to, pointer)
  }
  return guarded.all
}

/** Whether the request's own record decides on rows of the resource: these have no policy, and neither has an owner in between. */
function isAskedWithOwn(rights: Rights, resource: Resource, own: Resource): boolean {
  if (rights.rules.has(resource)) return false
  if (resource === own) return true
  return ownersOf(resource).every((owner) => {
    // The records of a tree with a policy are asked one by one.
    if (owner === own) return own.recursive.length === 0 || !rights.rules.has(own)
    return isAskedWithOwn(rights, owner, own)
  })
}

class Collection<Row extends RowId> {
  readonly all: GuardedRows<Row>[] = []

  add(action: RowAction, resource: Resource, row: Row, pointer: string | undefined): void {
    let known = this.all.find((one) => one.action === action && one.resource === resource)
    if (known === undefined) {
      known = { action, resource, rows: new Map() }
      this.all.push(known)
    }
    if (!known.rows.has(row)) known.rows.set(row, pointer)
  }
}
