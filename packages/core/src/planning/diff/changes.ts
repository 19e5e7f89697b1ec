import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, OrderedArray, Reference, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { LongNumber } from '../../model/values/long-number.ts'
import type { ArrayPlace } from '../body/draft.ts'
import { type MemberValues, type NewRow, type RecordData, type RecordOwner, type RowId, visitOwned } from '../rows.ts'
import type { Move } from './move.ts'

/** What a write changes, before anything is known about whether it may. */
export interface Changes {
  readonly inserts: Insert[]
  readonly updates: Update[]
  /** All records that are deleted, with what they own; one entry for each resource. */
  readonly removed: Removed[]
  readonly linked: Association[]
  readonly unlinked: Association<Id>[]
  /** What is said of the order of arrays; undefined: nothing. */
  arranged?: Arrangements
  /** The records that go to other owners; undefined: none does. */
  moved?: Move[]
  /** The numbers that rows get for it, once all are known. */
  readonly numbered?: readonly NumberedRows[]
  /** Numbers that rows get before any row is updated, because an update gives theirs to others. */
  parked?: readonly NumberedRows[]
  /** `removed` are deleted records of which no rows are kept any longer. Default: what happens to them is for their
   * resources to say. */
  readonly isForGood?: true
}

/** By the array, and by the row of the record whose array it is. */
export type Arrangements = Map<OrderedArray, Map<RowId, Arrangement>>

/** What a write says of the order of one array. */
export interface Arrangement {
  /** All elements that a PUT lists, in its order; undefined: others stay where they are. */
  listed: readonly RowId[] | undefined
  /** One after the other. */
  readonly placed: Placement[]
  /** Where the body says a place, or another order; undefined: elements are added at the end. */
  pointer: string | undefined
}

interface Placement {
  readonly element: RowId
  /** Undefined: a new element comes to the end. */
  readonly place: ArrayPlace | undefined
}

/** The elements of an array that get other numbers. */
export interface NumberedRows {
  readonly array: OrderedArray
  readonly owner: Id
  readonly rows: readonly { readonly id: Id; readonly number: number }[]
  /** Numbers that some of them get first, where others take theirs. */
  readonly parked: NumberedRows['rows']
  readonly pointer: string
}

export interface Insert {
  readonly resource: Resource
  /** The index of this row in `inserts`. */
  readonly row: NewRow
  /** The id that the client chose, or the library; undefined if the database assigns one, or it is not known before
   * that of the owner. */
  readonly id: Id | undefined
  readonly owner: RecordOwner<RowId> | undefined
  /** The same below its owner: without the owner's part. */
  readonly shortId: Id | undefined
  /** Where the body has the id, if it has one. */
  readonly idPointer: string
  readonly values: MemberValues
  readonly pointer: string
  /** A deleted record comes back: its row is kept and marked as deleted, or it is gone. Absent: it is new. */
  readonly comesBack?: 'kept' | 'gone'
  /** Of a deleted record that comes back: the references that it has, and that name what is not there any more. */
  readonly cleared?: readonly Reference[]
}

export interface Update {
  readonly resource: Resource
  readonly id: Id
  /** The record's owner, if it is known. */
  readonly owner: RecordOwner | undefined
  readonly before: RecordData
  /** Only what differs from `before`. */
  readonly values: MemberValues
  readonly pointer: string
}

export interface Removed {
  readonly resource: Resource
  /** Id → a pointer to what removes the record: the array that does not list it, or the child that is null. */
  readonly pointers: Map<Id, string>
  /** Those that are deleted because their owner is. */
  readonly withOwner: Set<Id>
  readonly owners: Set<OwnerKind>
}

/**
 * What owns a record: a resource, or nothing (`'none'`). The plan does not always know. `'addressed'`: the record is
 * the request's own, so the path tells. `'inside'`: it is that one or one below it, so the path may tell. `'outside'`:
 * it is another, so nothing tells.
 */
export type OwnerKind = Resource | 'none' | 'addressed' | 'inside' | 'outside'

export interface Association<From extends RowId = RowId> {
  readonly link: Link
  readonly from: From
  readonly to: Id
  readonly pointer: string
  /** Of a new link: its numbers, by their columns. */
  readonly numbers?: Readonly<Record<string, number>>
}

export function noChanges(): Changes {
  return { inserts: [], updates: [], removed: [], linked: [], unlinked: [] }
}

/** In place of a pointer in a DELETE, which has no body to point into. */
export const NO_POINTER = '(no body)'

/** The records of a resource that are deleted; undefined if there are none. */
export function removedFrom({ removed }: Changes, resource: Resource): Removed | undefined {
  // A loop, because there is nearly always one entry.
  for (const one of removed) if (one.resource === resource) return one
  return undefined
}

/** The same with their pointers only. */
export function removedOf(changes: Changes, resource: Resource): Map<Id, string> | undefined {
  return removedFrom(changes, resource)?.pointers
}

export function isRemoved(changes: Changes, resource: Resource, id: Id | null): boolean {
  return id !== null && (removedOf(changes, resource)?.has(id) ?? false)
}

/** Whether a deleted record comes back with the write. */
export function comesBack(changes: Changes, resource: Resource, id: Id): boolean {
  return returning(changes).get(resource)?.has(id) === true
}

const returning = onceFor(({ inserts }: Changes) => {
  const back = new Map<Resource, Set<Id>>()
  for (const { resource, id, comesBack: isBack } of inserts) {
    if (isBack !== undefined) back.set(resource, (back.get(resource) ?? new Set<Id>()).add(id as Id))
  }
  return back
})

/** The id that values give to a foreign key; undefined where they say nothing of it. */
export function givenId(values: MemberValues, { position }: Reference): Id | null | undefined {
  return values[position] as Id | null | undefined
}

/** How many rows are inserted, updated and deleted, links among them. */
export function rowsIn({ inserts, updates, removed, linked, unlinked }: Changes): number {
  const written = inserts.length + updates.length + linked.length + unlinked.length
  return removed.reduce((sum, { pointers }) => sum + pointers.size, written)
}

/** Whether the changes may conflict with other records. If not, there is nothing to look up and nothing to refuse. */
export function mayMeetOthers({ inserts, updates, removed, linked, unlinked, arranged, moved }: Changes): boolean {
  if (linked.length + unlinked.length > 0 || arranged !== undefined || moved !== undefined) return true
  return concernsOthers(inserts) || concernsOthers(updates) || concernsOthers(removed)
}

/** Whether one of these may conflict with other records. */
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
    changes.unlinked.length === 0 &&
    changes.arranged === undefined
  )
}

/** Whether two JSON values are equal; the order of keys does not count, and a long number counts as the nearest one. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return b instanceof LongNumber && a === b.valueOf()
  const open: [unknown, unknown][] = [[a, b]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    if (left === right || (right instanceof LongNumber && left === right.valueOf())) continue
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const keys = Object.keys(left)
    if (keys.length !== Object.keys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      open.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]])
    }
  }
  return true
}

/** Adds a record and all that it owns, at any depth, to the removed records. */
export function remove(
  resource: Resource,
  record: RecordData,
  owner: OwnerKind,
  pointer: string,
  changes: Changes,
): void {
  const removed = removedWith(resource, changes)
  removed.pointers.set(record.id, pointer)
  removed.owners.add(owner)
  removeBelow(resource, record, pointer, changes)
}

/** Adds all that a record owns, as far as it is known: `addUnread` adds what was not read. */
export function removeBelow(resource: Resource, record: RecordData, pointer: string, changes: Changes): void {
  visitOwned(resource, record, ({ source, target }, { id }) => {
    const removed = removedWith(target, changes)
    removed.pointers.set(id, pointer)
    removed.withOwner.add(id)
    removed.owners.add(source)
    return true
  })
}

/** The removed records of a resource. */
function removedWith(resource: Resource, changes: Changes): Removed {
  let found = removedFrom(changes, resource)
  if (found === undefined) {
    found = { resource, pointers: new Map(), withOwner: new Set(), owners: new Set() }
    changes.removed.push(found)
  }
  return found
}
