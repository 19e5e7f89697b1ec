import {
  type EffectOwner,
  recordKey,
  type WholeChange,
  type WholeLinkChange,
  type WholeRowChange,
} from '../effects/whole-change.ts'
import type { EffectChange } from '../effects-form.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { shortIdOf } from '../model/ids/short-id.ts'
import type { Link, Owns, Resource } from '../model/model.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { FIRST_INTEGER } from '../model/values/storage.ts'
import { arrange } from '../planning/diff/arrange.ts'
import {
  type Changes,
  type Insert,
  NO_POINTER,
  type NumberedRows,
  noChanges,
  type Removed,
  sameValue,
  type Update,
} from '../planning/diff/changes.ts'
import { type RecordData, type RecordOwner, type RowId, rowMembers } from '../planning/rows.ts'
import type { StoredRow } from '../rules/rows/stored-rows.ts'
import type { StoredChange } from './stored-changes.ts'

/** A change of the history, as it is kept and as it was made. */
export interface ChangeToUndo {
  readonly stored: StoredChange
  readonly change: WholeChange
}

/** What has become of the records that a write has touched. */
export interface StateNow {
  /** A record, with the ids of its links; undefined: it is not there. */
  row(resource: Resource, id: Id): StoredRow | undefined
  /** A deleted record whose row is kept; undefined: there is none. */
  kept(resource: Resource, id: Id): StoredRow | undefined
  /** The records that one owns by now. */
  owned(resource: Resource, id: Id): readonly { readonly resource: Resource; readonly id: Id }[]
}

/** How a write is undone, or where later writes are in the way. */
export type Inverse = { readonly changes: Changes } | { readonly conflicts: readonly EffectChange[] }

/**
 * The inverse of a write. What it added goes, what it deleted comes back with its id, what it changed is set back. It
 * conflicts with what later writes have changed of that.
 */
export function undoingOf(all: readonly ChangeToUndo[], now: StateNow): Inverse {
  const undoing: Undoing = {
    now,
    changes: { ...noChanges(), moved: [] },
    back: new Map(),
    going: new Set(),
  }
  const rows = all.filter((one): one is RowToUndo => one.change.kind === 'row')
  for (const { change } of rows) {
    if (change.action === 'Add') undoing.going.add(recordKey(change.resource, change.id))
  }
  // Owners come before what they own.
  const ofRows = byDepth(rows).flatMap((one) => undoRow(undoing, one))
  const links = all.flatMap(({ change }) => (change.kind === 'link' ? [change] : []))
  const ofLinks = links.flatMap((change) => undoLink(undoing, change))
  const conflicts = [...ofRows, ...ofLinks]
  const { changes } = undoing
  if (conflicts.length > 0) return { conflicts }
  parkNumbers(changes)
  const { moved, ...others } = changes
  return { changes: moved?.length === 0 ? others : changes }
}

/** What later writes have changed of what one change would set back. */
type Conflicts = readonly EffectChange[]

const NONE: Conflicts = []

interface RowToUndo extends ChangeToUndo {
  readonly change: WholeRowChange
}

interface Undoing {
  readonly now: StateNow
  readonly changes: Changes
  /** The rows that come back. */
  readonly back: Map<string, RowId>
  /** The records that the write has added. */
  readonly going: Set<string>
}

function byDepth(rows: readonly RowToUndo[]): readonly RowToUndo[] {
  return rows.toSorted((one, other) => (one.stored.above?.length ?? 0) - (other.stored.above?.length ?? 0))
}

function undoRow(undoing: Undoing, one: RowToUndo): Conflicts {
  switch (one.change.action) {
    case 'Add':
      return undoAdd(undoing, one.change)
    case 'Delete':
      return undoDelete(undoing, one)
    case 'Edit':
      return undoEdit(undoing, one)
  }
}

/** The record goes, unless others have changed it, or have added something to it. */
function undoAdd(undoing: Undoing, { resource, id, after }: WholeRowChange): Conflicts {
  const { now, changes, going } = undoing
  const stored = now.row(resource, id)
  if (stored === undefined) return [{ action: 'Delete', resource: resource.key, id }]
  const current = withOwnerKeys(resource, stored)
  const changed = changedSince(resource, current, after as RecordData, Object.keys(after as RecordData))
  const others = now.owned(resource, id).filter((child) => !going.has(recordKey(child.resource, child.id)))
  const added = others.map((child): EffectChange => {
    return { action: 'Add', resource: child.resource.key, id: child.id, within: [resource.key, id] }
  })
  const removed = removedOf(changes, resource)
  removed.pointers.set(id, NO_POINTER)
  const { owner } = stored
  removed.owners.add(owner === null ? 'none' : owner.by.target)
  if (owner !== null && going.has(recordKey(owner.by.target, owner.id))) removed.withOwner.add(id)
  return [...changed, ...added]
}

function removedOf({ removed }: Changes, resource: Resource): Removed {
  const known = removed.find((one) => one.resource === resource)
  if (known !== undefined) return known
  const made: Removed = { resource, pointers: new Map(), withOwner: new Set(), owners: new Set() }
  removed.push(made)
  return made
}

/** The record comes back, with its id, unless its id or its owner is in the way. */
function undoDelete(undoing: Undoing, { stored, change }: RowToUndo): Conflicts {
  const { now, changes, back } = undoing
  const { resource, id, before, soft, owner } = change
  const there = now.row(resource, id)
  if (there !== undefined) return [{ action: 'Add', resource: resource.key, id }]
  const kept = soft ? now.kept(resource, id) : undefined
  const isLost = soft ? kept === undefined : stored.isSecret === true
  if (isLost) return [{ action: 'Delete', resource: resource.key, id }]
  const left = before as RecordData
  const changed = kept && changedSince(resource, withOwnerKeys(resource, kept), left, Object.keys(left))
  if (changed !== undefined && changed.length > 0) return changed
  if (owner !== null && !isThere(undoing, owner))
    return [{ action: 'Delete', resource: owner.resource.key, id: owner.id }]
  const row = { new: changes.inserts.length }
  back.set(recordKey(resource, id), row)
  changes.inserts.push({
    resource,
    row,
    id,
    owner: owner === null ? undefined : { by: owner.by, id: rowOf(undoing, owner) },
    shortId: shortIdOf(resource, id),
    idPointer: '',
    values: resource.members.map(({ property }) => left[property]),
    pointer: '',
    comesBack: soft ? 'kept' : 'gone',
  } satisfies Insert)
  return NONE
}

function rowOf({ back }: Undoing, { resource, id }: Pick<EffectOwner, 'resource' | 'id'>): RowId {
  return back.get(recordKey(resource, id)) ?? id
}

function isThere({ now, back }: Undoing, { resource, id }: Pick<EffectOwner, 'resource' | 'id'>): boolean {
  return back.has(recordKey(resource, id)) || now.row(resource, id) !== undefined
}

/** The values that were changed are set back. */
function undoEdit(undoing: Undoing, { stored: kept, change }: RowToUndo): Conflicts {
  const { now, changes } = undoing
  const { resource, id, before, after } = change as { before: RecordData; after: RecordData } & WholeRowChange
  const stored = now.row(resource, id)
  if (stored === undefined) return [{ action: 'Delete', resource: resource.key, id }]
  const names = Object.keys(kept.after ?? {})
  const current = withOwnerKeys(resource, stored)
  if (kept.isSecret === true) return [{ action: 'Edit', resource: resource.key, id }]
  const changed = changedSince(resource, current, after, names)
  // A write-only value may have been set to what it was.
  if (changed.length > 0 || names.length === 0) return changed
  const values = new Array<unknown>(rowMembers(resource).length)
  for (const { property, position } of rowMembers(resource)) {
    if (names.includes(property)) values[position] = before[property] ?? null
  }
  const owner = stored.owner ?? undefined
  changes.updates.push({ resource, id, owner, before: current, values, pointer: '' })
  return kept.wasAbove === undefined ? NONE : undoMove(undoing, resource, id, owner, before)
}

/** No array has numbers near it: they begin at 1,000, or at the ends of what a column takes. */
const FAR_AWAY = FIRST_INTEGER / 2

/**
 * Elements of an array that get each other's numbers leave their own first: a unique key may be asked row by row, and
 * then no number may be one that another row still has.
 */
function parkNumbers(changes: Changes): void {
  const parked: NumberedRows[] = []
  for (const [array, owners] of numbersSet(changes)) {
    const { property = '', position = 0 } = array.order ?? {}
    for (const [owner, updates] of owners) {
      const wanted = new Set(updates.map(({ values }) => values[position]))
      const inTheWay = updates.filter(({ before }) => wanted.has(before[property]))
      const rows = inTheWay.map(({ id }, index) => ({ id, number: FAR_AWAY + index }))
      if (rows.length > 0) parked.push({ array, owner, rows, parked: [], pointer: '' })
    }
  }
  if (parked.length > 0) changes.parked = parked
}

/** The updates that set numbers, but for those of records that move, by their arrays and owners. */
function numbersSet({ updates, moved = [] }: Changes): ReadonlyMap<Owns, ReadonlyMap<Id, readonly Update[]>> {
  const found = new Map<Owns, Map<Id, Update[]>>()
  const moving = new Set(moved.map(({ resource, id }) => recordKey(resource, id)))
  for (const one of updates) {
    const { resource, id, owner, values } = one
    const array = owner?.by.inverse
    const isSet = array?.order !== undefined && typeof values[array.order.position] === 'number'
    if (owner === undefined || array === undefined || !isSet || moving.has(recordKey(resource, id))) continue
    const owners = found.get(array) ?? new Map<Id, Update[]>()
    const ofOwner = owners.get(owner.id) ?? []
    ofOwner.push(one)
    found.set(array, owners.set(owner.id, ofOwner))
  }
  return found
}

function undoMove(
  undoing: Undoing,
  resource: Resource,
  id: Id,
  from: RecordOwner | undefined,
  before: RecordData,
): Conflicts {
  const by = resource.movedBy.find(({ foreignKey }) => (before[foreignKey] ?? null) !== null)
  const to = by && { by, id: before[by.foreignKey] as Id }
  if (to !== undefined && undoing.now.row(by?.target as Resource, to.id) === undefined) {
    // A record that comes back is not there yet when others move to it.
    return [{ action: 'Delete', resource: to.by.target.key, id: to.id }]
  }
  undoing.changes.moved?.push({ resource, id, from, to, pointer: '', below: [], places: undefined })
  return NONE
}

/** A row with the foreign keys of owners that bodies may set. */
function withOwnerKeys({ movedBy }: Resource, { record, owner }: StoredRow): RecordData {
  if (movedBy.length === 0) return record
  const keys = movedBy.map((by) => [by.foreignKey, owner?.by.name === by.name ? owner.id : null])
  return { ...record, ...Object.fromEntries(keys) }
}

/** Which values of a row are others than the write has left. */
function changedSince({ key }: Resource, current: RecordData, left: RecordData, names: readonly string[]): Conflicts {
  const changed = names.filter((name) => name !== 'id' && !sameValue(current[name] ?? null, left[name] ?? null))
  if (changed.length === 0) return NONE
  const pick = (row: RecordData) => Object.fromEntries(changed.map((name) => [name, row[name] ?? null]))
  return [{ action: 'Edit', resource: key, id: current.id, before: pick(left), after: pick(current) }]
}

/** A link that was added goes; one that was removed comes back, if both ends are there, to the place that it had. */
function undoLink(undoing: Undoing, change: WholeLinkChange): Conflicts {
  const { now, changes, going } = undoing
  const { action, link, resource, id, to } = change
  const other = { resource: link.target, id: to }
  const source = now.row(resource, id)
  const isLinked = source !== undefined && linkedIn(link, source.record).some((one) => one === to)
  const terms = { resource: resource.key, id, relation: link.name, to }
  if (action === 'Link') {
    if (!isLinked) return [{ action: 'Unlink', ...terms }]
    const goesAlong = going.has(recordKey(resource, id)) || going.has(recordKey(other.resource, to))
    if (!goesAlong) changes.unlinked.push({ link, from: id, to, pointer: '' })
    return NONE
  }
  const from = rowOf(undoing, change)
  if (action === 'Edit') {
    if (!isLinked) return [{ action: 'Unlink', ...terms }]
    placeLink(changes, change, from)
    return NONE
  }
  if (isLinked) return [{ action: 'Link', ...terms }]
  for (const end of [change, other]) {
    if (!isThere(undoing, end)) return [{ action: 'Delete', resource: end.resource.key, id: end.id }]
  }
  changes.linked.push({ link, from, to, pointer: '' })
  placeLink(changes, change, from)
  return NONE
}

/** Behind the elements that it was behind, in the arrays of both ends. */
function placeLink(changes: Changes, { link, to, place }: WholeLinkChange, from: RowId): void {
  const placeIn = (behind: Id | null | undefined) =>
    behind === undefined ? undefined : { before: null, behind, pointer: '' }
  if (link.order !== undefined) arrange(changes, link, from, { element: to, place: placeIn(place?.behind) })
  const other = otherEnd(link)
  if (other?.order !== undefined) arrange(changes, other, to, { element: from, place: placeIn(place?.otherBehind) })
}

function linkedIn({ name }: Link, record: RecordData): readonly Id[] {
  return ((record[name] ?? []) as readonly RecordData[]).map(({ id }) => id)
}
