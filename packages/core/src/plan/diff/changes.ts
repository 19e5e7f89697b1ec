import type { Id } from '../../model/ids.ts'
import type { Link, OwnedBy, Reference, Resource } from '../../model/model.ts'
import type { MemberValues } from './member-values.ts'

/** A record as it is read: its id, its fields, foreign keys and relations. */
export type RecordData = { readonly id: Id } & { readonly [name: string]: unknown }

/** A row that is there, by its id, or one that the same plan inserts, by its number. */
export type RowId = Id | NewRow

export interface NewRow {
  readonly new: number
}

/** Whether the same plan inserts the row. If not, the row is named by its id. */
export function isNew(row: RowId): row is NewRow {
  return typeof row === 'object'
}

/** What a write changes, before it is known whether it may. */
export interface Changes {
  readonly inserts: Insert[]
  readonly updates: Update[]
  /** Every record that goes, with what it owns; one entry for each resource. */
  readonly removed: Removed[]
  readonly linked: Association[]
  readonly unlinked: Association<Id>[]
}

export interface Insert {
  readonly resource: Resource
  /** The number of this row among those that are inserted. */
  readonly row: NewRow
  /** The id that the request asks for; undefined where the database gives one. */
  readonly id: Id | undefined
  readonly owner: { readonly by: OwnedBy; readonly id: RowId } | undefined
  readonly values: MemberValues
  readonly pointer: string
}

export interface Update {
  readonly resource: Resource
  readonly id: Id
  /** The record's owner, as far as the request tells it. */
  readonly owner: { readonly by: OwnedBy; readonly id: Id } | undefined
  readonly before: RecordData
  /** Only what differs from `before`. */
  readonly values: MemberValues
  readonly pointer: string
}

export interface Removed {
  readonly resource: Resource
  /** By their ids, what in the body removes them: a pointer to the array that does not list them, or to the child that is null. */
  readonly pointers: Map<Id, string>
}

export interface Association<From extends RowId = RowId> {
  readonly link: Link
  readonly from: From
  readonly to: Id
  readonly pointer: string
}

export function noChanges(): Changes {
  return { inserts: [], updates: [], removed: [], linked: [], unlinked: [] }
}

/** The records of a resource that go, as {@link Removed} has them; undefined if none does. */
export function removedOf({ removed }: Changes, resource: Resource): Map<Id, string> | undefined {
  // Most often there is one, of few at most.
  for (const one of removed) if (one.resource === resource) return one.pointers
  return undefined
}

export function isRemoved(changes: Changes, resource: Resource, id: Id | null): boolean {
  return id !== null && (removedOf(changes, resource)?.has(id) ?? false)
}

/** The id that a foreign key of a record holds. */
export function heldId(record: RecordData, { foreignKey }: Reference): Id | null {
  return record[foreignKey] as Id | null
}

/** The id that values give to a foreign key; undefined where they say nothing of it. */
export function givenId(values: MemberValues, { position }: Reference): Id | null | undefined {
  return values[position] as Id | null | undefined
}

/** Whether other records may be in its way: if not, there is nothing to look up and nothing to refuse. */
export function mayMeetOthers({ inserts, updates, removed, linked, unlinked }: Changes): boolean {
  if (linked.length + unlinked.length > 0) return true
  return concernsOthers(inserts) || concernsOthers(updates) || concernsOthers(removed)
}

/** Whether one of these is of a resource that concerns others. */
export function concernsOthers(ones: readonly { readonly resource: Resource }[]): boolean {
  for (const { resource } of ones) if (resource.concernsOthers) return true
  return false
}

export function isEmpty(changes: Changes): boolean {
  return (
    changes.inserts.length === 0 &&
    changes.updates.length === 0 &&
    changes.removed.length === 0 &&
    changes.linked.length === 0 &&
    changes.unlinked.length === 0
  )
}
