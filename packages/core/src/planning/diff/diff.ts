import { type Problem, type Refusal, stillNeeded } from '../../errors.ts'
import { ALL_FIELDS, type FieldRights } from '../../model/field-rights.ts'
import { type Id, isGivenByClient } from '../../model/ids/id-kind.ts'
import { idBelow, isOwnersId, wholeId } from '../../model/ids/short-id.ts'
import type { Field, Link, Member, Owns, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { holdsAll, roundedIn } from '../../model/values/long-number.ts'
import {
  assignIds,
  type Draft,
  type InvisibleResources,
  type LinkElement,
  NOTHING_HIDDEN,
  type Reading,
} from '../body/draft.ts'
import { missesAny, missesOne, noSuchRecord, pointerTo, unknownRecord } from '../body/faults.ts'
import { otherThan, pointerToId } from '../body/id-of-body.ts'
import { checkNestedAlone } from '../body/nested-record.ts'
import { changedNumber, NumberChange, placeOutside } from '../body/patch-marks.ts'
import { readBody } from '../body/read-body.ts'
import { isNew, type MemberValues, type NewRow, type RecordData, type RecordOwner, type RowId } from '../rows.ts'
import { arrange, arrangeAll, arrangeLink } from './arrange.ts'
import { type Changes, type Insert, isEmpty, noChanges, remove, sameValue, type Update } from './changes.ts'
import { moveIn, refuseMove, refuseOwnerOfNew, saidByKeys } from './move.ts'

/** The differences between a body and the stored record. */
export interface Diff {
  readonly changes: Changes
  /** Why the body does not fit the stored record. */
  readonly problems: Problem[]
  /** Names in the body of records that do not exist or belong to another owner. */
  readonly unknown: Problem[]
  /** One-to-one places that are taken by records which the client may not see. */
  readonly taken: Problem[]
  /** Why the owner may not be without the record, or a record without the link; undefined if it may, or if that
   * stays. */
  required: Refusal | undefined
  readonly hidden: InvisibleResources
  readonly fieldRights: FieldRights
  /** What the body says of records that exist, whether it changes them or not. */
  readonly listed: Listed[]
}

/** What the body says of the record with that id. */
export interface Listed {
  readonly id: Id
  readonly draft: Draft
}

/** `reading`: of the body. Default: that of a client that sees all. */
export function newDiff({ hidden, fieldRights }: Pick<Reading, 'hidden' | 'fieldRights'> = ALL_SHOWN): Diff {
  const changes = noChanges()
  return { changes, problems: [], unknown: [], taken: [], required: undefined, hidden, fieldRights, listed: [] }
}

const ALL_SHOWN = { hidden: NOTHING_HIDDEN, fieldRights: ALL_FIELDS }

/** Whether nothing has to be looked up or written: the body says what is stored already. */
export function isSettled(diff: Diff): boolean {
  return isEmpty(diff.changes) && diff.problems.length + diff.unknown.length + diff.taken.length === 0
}

/** Adds a new record and all that its draft says of relations. */
export function insert(draft: Draft, owner: Insert['owner'], diff: Diff): NewRow {
  const { inserts, linked } = diff.changes
  const row: NewRow = { new: inserts.length }
  const { resource, id: shortId, values, body, pointer } = draft
  const id = idOfNew(resource, shortId, owner?.id, inserts)
  if (saysOtherOwner(draft, id)) diff.unknown.push(notTheOwner(draft))
  const idPointer = pointerToId(resource, body, pointer)
  const ofNew = resource.movedBy.length === 0 ? values : withoutOwner(draft, owner, inserts, diff.problems)
  inserts.push({ resource, row, id, shortId, idPointer, owner, values: ofNew, pointer })
  placeRecord(draft, row, owner, diff)
  const { owns, links } = resource
  for (let position = 0; position < owns.length; position++) {
    const owned = draft.owned[position]
    if (owned === undefined || owned === null) continue
    const here = { by: (owns[position] as Owns).inverse, id: row }
    const children = isMany(owned) ? owned : [owned]
    for (const child of children) insert(child, here, diff)
  }
  for (let position = 0; position < links.length; position++) {
    const link = links[position] as Link
    for (const { id: to, pointer, place } of draft.links[position] ?? []) {
      linked.push({ link, from: row, to, pointer })
      arrangeLink(diff.changes, link, row, to, place)
    }
  }
  return row
}

/** The values of a new record. Its body may repeat the owner that the record gets. */
function withoutOwner(
  draft: Draft,
  owner: Insert['owner'],
  inserts: readonly Insert[],
  problems: Problem[],
): MemberValues {
  if (owner !== undefined) {
    const { by, id } = owner
    if (isNew(id)) refuseOwnerOfNew(draft, { by, id: inserts[id.new]?.id ?? UNKNOWN_ID }, problems)
    else refuseMove(draft, { by, id }, problems)
  } else {
    const said = saidByKeys(draft).find(({ id }) => id !== null)
    const message = 'leave it out: the path names no owner'
    if (said !== undefined)
      problems.push({ pointer: said.pointer, message, keyword: 'const', params: { allowedValue: null } })
  }
  return draft.values.slice(0, draft.resource.members.length)
}

/** Of an owner that is new, too: no body can name it. */
const UNKNOWN_ID = ''

/** Notes the place of a new record, or of one whose body says another place. */
function placeRecord({ place }: Draft, element: RowId, owner: Insert['owner'], { changes, problems }: Diff): void {
  const array = owner?.by.inverse
  if (owner !== undefined && array?.order !== undefined) arrange(changes, array, owner.id, { element, place })
  else if (place !== undefined) problems.push(placeOutside(place))
}

/** The id of a new record, as far as it is known now. */
function idOfNew(
  resource: Resource,
  shortId: Id | undefined,
  owner: RowId | undefined,
  inserts: readonly Insert[],
): Id | undefined {
  if (resource.idMembers.length === 0) return shortId
  return idBelow(resource, shortId, owner !== undefined && isNew(owner) ? inserts[owner.new]?.id : owner)
}

/** Compares a draft with the record it replaces or patches, and adds only what differs. */
export function update(draft: Draft, record: RecordData, owner: Update['owner'], diff: Diff): void {
  diff.listed.push({ id: record.id, draft })
  if (draft.place !== undefined) placeRecord(draft, record.id, owner, diff)
  const values = changedValues(draft, record, diff)
  if (values !== undefined) noteUpdate(draft, record, owner, values, diff)
  updateRelated(draft, record, diff)
}

/** {@link update} of a record that the request names: the body may give it to another owner. */
export function updateOrMove(draft: Draft, record: RecordData, owner: Update['owner'], diff: Diff): void {
  const { resource, values: said } = draft
  const move = resource.movedBy.length === 0 ? undefined : moveIn(draft, record, owner, diff.problems)
  if (move === undefined) {
    update(draft, record, owner, diff)
    return
  }
  diff.listed.push({ id: record.id, draft })
  diff.changes.moved ??= []
  diff.changes.moved.push(move)
  if (draft.place !== undefined || move.to?.by.inverse.order !== undefined) placeRecord(draft, record.id, move.to, diff)
  const values = changedValues(draft, record, diff) ?? new Array<unknown>(resource.members.length)
  for (const { position, foreignKey } of resource.movedBy) {
    if (said[position] !== undefined && said[position] !== record[foreignKey]) values[position] = said[position]
  }
  noteUpdate(draft, record, owner, values, diff)
  updateRelated(draft, record, diff)
}

function noteUpdate(
  { resource, pointer }: Draft,
  record: RecordData,
  owner: Update['owner'],
  values: MemberValues,
  { changes }: Diff,
): void {
  changes.updates.push({ resource, id: record.id, owner, before: record, values, pointer })
}

/** The values of the record's own row that differ; undefined if none does. */
function changedValues(draft: Draft, record: RecordData, diff: Diff): unknown[] | undefined {
  const { resource, pointer } = draft
  const { members } = resource
  let values: unknown[] | undefined
  for (let position = 0; position < members.length; position++) {
    const value = draft.values[position]
    const member = members[position] as Member
    if (value === undefined) {
      if (member.kind === 'reference') checkNestedAlone(member, draft, record, diff.problems)
      continue
    }
    const shown = record[member.property]
    if (value instanceof NumberChange) {
      const changed = changeNumber(member as Field, value, shown, pointer, diff)
      if (changed === undefined || sameValue(changed, shown)) continue
      values ??= new Array(members.length)
      values[position] = changed
      continue
    }
    const unfit = draft.unfit.get(position)
    // The record shows no write-only value, so one that the body sets differs always.
    const isShown = sameValue(value, shown)
    if (isShown && (unfit === undefined || holdsAll(shown, draft.reading.long, pointerTo(pointer, member.property))))
      continue
    if (resource.idMembers.includes(member)) {
      diff.problems.push({ pointer: pointerTo(pointer, member.property), ...otherThan(shown) })
      continue
    }
    // The database may be unable to compare a value that does not fit.
    if (unfit !== undefined) {
      diff.problems.push(...unfit)
      continue
    }
    diff.problems.push(...roundedIn(value, shown, pointerTo(pointer, member.property)))
    values ??= new Array(members.length)
    values[position] = value
  }
  return values
}

/** What a draft says of what the record owns and is linked to. */
function updateRelated(draft: Draft, record: RecordData, diff: Diff): void {
  const { owns, links } = draft.resource
  for (let position = 0; position < owns.length; position++) {
    const owned = draft.owned[position]
    if (owned === undefined) continue
    const relation = owns[position] as Owns
    if (diff.hidden.has(relation.target)) addToHidden(relation, owned, record, diff)
    else if (owned !== null && isMany(owned)) updateOwnedMany(relation, owned, draft, record, diff)
    else updateOwnedOne(relation, owned, draft, record, diff)
  }
  for (let position = 0; position < links.length; position++) {
    const elements = draft.links[position]
    if (elements !== undefined) updateLinks(links[position] as Link, elements, draft, record, diff)
  }
}

/** The number that a field gets, undefined if it gets none: then the problem is noted. */
function changeNumber(
  field: Field,
  change: NumberChange,
  stored: unknown,
  pointer: string,
  { problems }: Diff,
): unknown {
  const changed = changedNumber(field, change, stored)
  if ('value' in changed) return changed.value
  const here = pointerTo(pointer, field.name)
  for (const { at, ...fault } of changed.faults) problems.push({ pointer: here + at, ...fault })
  return undefined
}

function isMany(owned: Draft | readonly Draft[]): owned is readonly Draft[] {
  return Array.isArray(owned)
}

function updateOwnedOne(owns: Owns, child: Draft | null, parent: Draft, record: RecordData, diff: Diff): void {
  const present = record[owns.name] as RecordData | null
  const pointer = pointerTo(parent.pointer, owns.name)
  if (child === null) {
    if (present !== null && owns.required) diff.problems.push(missesOne(owns, pointer))
    else if (present !== null) remove(owns.target, present, owns.source, pointer, diff.changes)
    return
  }
  const isGiven = present === null && isGivenByClient(owns.target.id)
  const id = child.id === undefined ? undefined : wholeId(owns.target, child.id, record.id)
  if (id !== undefined && id !== present?.id && !isGiven) {
    const message =
      present === null
        ? `there is no ${owns.target.key} here yet; leave out the id to create one`
        : `is not the id of the current ${owns.target.key}`
    const at = pointerToId(owns.target, child.body, pointer)
    diff.unknown.push({ pointer: at, ...unknownRecord(message, owns.target.key) })
    return
  }
  const by = owns.inverse
  if (present === null && saysOtherOwner(child, record.id)) {
    diff.unknown.push(notTheOwner(child))
    return
  }
  if (present !== null) {
    updateOwned(child, present, { by, id: record.id }, diff)
    return
  }
  insert(asNew(child, diff), { by, id: record.id }, diff)
}

function updateOwned(child: Draft, record: RecordData, owner: RecordOwner, diff: Diff): void {
  refuseMove(child, owner, diff.problems)
  update(child, record, owner, diff)
}

/**
 * The draft of a child that is not there yet. A new child owns nothing, so its body is read as that of a create:
 * complete, and without ids but for those that clients give. It is read once, so that its new ids are the same in all
 * attempts.
 */
function asNew(child: Draft, { problems }: Diff): Draft {
  if (child.operation === 'create') return child
  const read = readAsNew(child)
  problems.push(...read.problems)
  return read.draft
}

const readAsNew = onceFor(({ resource, body, pointer, reading }: Draft) => {
  const problems: Problem[] = []
  const draft = readBody(resource, 'create', body, pointer, problems, reading)
  assignIds(draft)
  return { draft, problems }
})

/** A client that may not see what a record owns may add to it, and can name, change or remove nothing of it. */
function addToHidden(owns: Owns, owned: Draft | readonly Draft[] | null, record: RecordData, diff: Diff): void {
  if (owned === null) return
  const { target, inverse: by, name } = owns
  const children = isMany(owned) ? owned : [owned]
  for (const child of children) {
    if (child.removedAt !== undefined) {
      diff.unknown.push({ pointer: child.removedAt, ...noSuchRecord(target, child.id as Id) })
    } else if (child.id !== undefined && child.operation !== 'create' && !isGivenByClient(target.id)) {
      diff.unknown.push({ pointer: pointerTo(child.pointer, 'id'), ...noSuchRecord(target, child.id) })
    } else if (saysOtherOwner(child, record.id)) {
      diff.unknown.push(notTheOwner(child))
    } else if (!owns.many && record[name] !== null) {
      diff.taken.push(placeIsTaken(owns, child.pointer))
    } else {
      insert(asNew(child, diff), { by, id: record.id }, diff)
    }
  }
}

/** Whether a body has another id for a record whose id is that of its owner. So it is wrong, whether there is such a
 * record or not. */
function saysOtherOwner({ resource, id }: Draft, owner: Id | undefined): boolean {
  return isOwnersId(resource) && id !== undefined && id !== owner
}

function notTheOwner({ resource, body, pointer }: Draft): Problem {
  const problem = unknownRecord('is not the id of the owner: leave it out', resource.key)
  return { pointer: pointerToId(resource, body, pointer), ...problem }
}

export function placeIsTaken({ source, name }: Owns, pointer: string): Problem {
  return { pointer, message: `the ${source.key} has its ${name} already`, keyword: 'exists' }
}

function updateOwnedMany(owns: Owns, children: readonly Draft[], parent: Draft, record: RecordData, diff: Diff): void {
  const present = record[owns.name] as readonly RecordData[]
  const indexOf = finderById(present)
  const isListed = new Array<true | undefined>(present.length)
  const by = owns.inverse
  const listed: RowId[] = []
  for (const child of children) {
    if (child.id === undefined || child.operation === 'create') {
      listed.push(insert(child, { by, id: record.id }, diff))
      continue
    }
    const index = indexOf(wholeId(owns.target, child.id, record.id))
    const before = present[index]
    if (before === undefined && child.removedAt === undefined && isGivenByClient(owns.target.id)) {
      listed.push(insert(asNew(child, diff), { by, id: record.id }, diff))
      continue
    }
    if (before === undefined) {
      const message = `${child.id} is not one of this ${owns.source.key}'s ${owns.name}`
      const at = child.removedAt ?? pointerTo(child.pointer, 'id')
      diff.unknown.push({ pointer: at, ...unknownRecord(message, owns.target.key) })
      continue
    }
    isListed[index] = true
    if (child.removedAt !== undefined) {
      remove(owns.target, before, owns.source, child.removedAt, diff.changes)
      continue
    }
    listed.push(before.id)
    updateOwned(child, before, { by, id: record.id }, diff)
  }
  const pointer = pointerTo(parent.pointer, owns.name)
  if (parent.operation !== 'patch' && owns.order !== undefined) {
    arrangeAll(diff.changes, owns, record.id, { listed, present, pointer })
  }
  if (parent.operation === 'patch') {
    if (parent.isPartial && isListed.includes(undefined)) diff.problems.push(cutArray(owns.name, pointer))
    return
  }
  for (let index = 0; index < present.length; index++) {
    if (isListed[index] !== true) remove(owns.target, present[index] as RecordData, owns.source, pointer, diff.changes)
  }
}

function updateLinks(link: Link, elements: readonly LinkElement[], draft: Draft, record: RecordData, diff: Diff): void {
  const { linked, unlinked } = diff.changes
  const isInvisible = diff.hidden.has(link.target)
  const present = new Set(isInvisible ? [] : (record[link.name] as RecordData[]).map((target) => target.id))
  let left = present.size
  let isOneRemoved = false
  for (const { id: to, pointer, isRemoved, place } of elements) {
    const isThere = present.delete(to)
    const association = { link, from: record.id, to, pointer }
    if (!isRemoved && !isThere) {
      linked.push(association)
      left += 1
    }
    if (!isRemoved && !isThere) arrangeLink(diff.changes, link, record.id, to, place)
    else if (place !== undefined) arrange(diff.changes, link, record.id, { element: to, place })
    if (!isRemoved) continue
    if (isThere) {
      unlinked.push(association)
      left -= 1
      isOneRemoved = true
    } else if (draft.body[link.name] !== undefined) diff.unknown.push({ pointer, ...noSuchRecord(link.target, to) })
  }
  if (link.needs && isOneRemoved && left === 0) diff.required = needsOne(link, record.id)
  const pointer = pointerTo(draft.pointer, link.name)
  if (draft.operation === 'patch') {
    if (draft.isPartial && present.size > 0) diff.problems.push(cutArray(link.name, pointer))
    return
  }
  if (link.order !== undefined && !isInvisible) {
    const listed = elements.map(({ id }) => id)
    arrangeAll(diff.changes, link, record.id, { listed, present: record[link.name] as RecordData[], pointer })
  }
  if (link.needs && elements.length === 0 && present.size > 0) diff.problems.push(missesAny(link, pointer))
  for (const to of present) unlinked.push({ link, from: record.id, to, pointer })
}

/** The last of what a record needs, as far as the caller sees, stays linked. */
function needsOne({ source, target, name }: Link, id: Id): Refusal {
  const blocker = { resource: source.key, relation: name, count: 1 }
  return stillNeeded(`${source.key} ${id} needs at least one ${target.key}`, [], [blocker])
}

/** Whoever sends back a part of an array may take it for the whole, and expect that a PATCH removes the rest. */
function cutArray(name: string, pointer: string): Problem {
  return { pointer, message: `lacks some of the ${name}, because 'partial' marks this record: leave out ${name}` }
}

/**
 * Finds the index of a record in a list by its id, or -1. Callers nearly always ask in the order of the list, which
 * needs no map.
 */
function finderById(records: readonly RecordData[]): (id: Id) => number {
  let next = 0
  let indexes: Map<Id, number> | undefined
  return (id) => {
    for (; next < records.length; next++) if (records[next]?.id === id) return next++
    indexes ??= new Map(records.map((record, index) => [record.id, index]))
    return indexes.get(id) ?? -1
  }
}
