import { type Problem, shortened, withArticle } from '../../errors.ts'
import { didYouMean } from '../../model/check/names.ts'
import { type FieldRights, knowsField } from '../../model/field-rights.ts'
import { type Id, type IdKind, isGivenByClient } from '../../model/ids/id-kind.ts'
import { isObject } from '../../model/is-object.ts'
import type { Computed, Field, ForeignKey, Link, Owns, Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import { isStorable } from '../../model/values/field-check.ts'
import { longBelow, losesDigitsAt } from '../../model/values/long-number.ts'
import { ALL_FIT, type Draft, type LinkElement, type MutableDraft, type Reading, readingOf } from './draft.ts'
import { AN_OBJECT, lacks, missesAny, missesOne, NOT_NULL, notAnId, pointerTo } from './faults.ts'
import { fillIn } from './fill-in.ts'
import { completeId, idInBody, pointerToId } from './id-of-body.ts'
import { checkSummary, readNestedRecord } from './nested-record.ts'
import { BEFORE, isPlaced, REMOVE, readNumberChange, readPlace, readRemoval, refuseRemoval } from './patch-marks.ts'

/**
 * Reads a body as a draft of a record. Adds every problem to the list. The draft is complete only if there is none.
 *
 * `reading`: of the body that this one is a part of.
 */
export function readBody(
  resource: Resource,
  operation: BodyOperation,
  body: unknown,
  pointer: string,
  problems: Problem[],
  reading = readingOf(operation),
): Draft {
  const draft: MutableDraft = {
    resource,
    operation,
    reading,
    pointer,
    id: undefined,
    isPartial: false,
    removedAt: undefined,
    place: undefined,
    values: new Array(resource.members.length),
    unfit: ALL_FIT,
    owned: new Array(resource.owns.length),
    links: new Array(resource.links.length),
    body: EMPTY_BODY,
  }
  if (!isObject(body)) {
    problems.push({ pointer, message: `must be an object that describes ${withArticle(resource.key)}`, ...AN_OBJECT })
    return draft
  }
  draft.body = body
  // `for … in` is the fastest loop over an object that JSON.parse just made.
  for (const name in body) {
    const value = hasOwn.call(body, name) ? body[name] : undefined
    if (value === undefined) continue
    const meaning = resource.names.get(name)
    switch (meaning?.is) {
      case 'field':
        if (reading.fieldRights.sets(meaning.field)) {
          draft.values[meaning.field.position] = readField(meaning.field, value, draft, problems)
        } else refuseUnsettable(meaning.field, draft, problems)
        break
      case 'computed':
        refuseUnsettable(meaning.computed, draft, problems)
        break
      case 'foreignKey':
        if (!meaning.reference.setByRule) {
          draft.values[meaning.reference.position] = readForeignKey(meaning.reference, value, pointer, problems)
        } else refuseReadOnly(name, pointer, reading, problems)
        break
      case 'owner':
        draft.values[meaning.by.position] = readForeignKey(meaning.by, value, pointer, problems)
        break
      case 'nested':
        readNestedRecord(meaning.reference, value, draft, problems)
        break
      case 'owns':
        draft.owned[meaning.owns.position] = readOwned(meaning.owns, draft, value, problems)
        break
      case 'link':
        draft.links[meaning.link.position] = readLink(meaning.link, draft, value, problems)
        break
      case undefined:
        if (name === 'id') draft.id = readOwnId(resource, operation, value, pointer, problems)
        else if (name === 'partial' && reading.isInReplace) refusePartial(resource, pointer, problems)
        else if (name === 'partial' && operation === 'patch') draft.isPartial = readMark(value, pointer, problems)
        else if (name === REMOVE) refuseRemoval(operation, pointer, problems)
        else if (name === BEFORE && isPlaced(resource))
          draft.place = readPlace(resource.shortId, value, pointer, reading, problems)
        else refuseUnknown(draft, name, problems)
    }
  }
  if (resource.idMembers.length > 0) completeId(draft, problems)
  if (operation !== 'patch') fillIn(draft, problems)
  // The path may have the id of the request's own record.
  if (operation === 'create' && pointer !== '') requireNewId(draft, problems)
  return draft
}

/** V8 skips this call in a `for … in` over the same object, because it knows the answer. */
const hasOwn = Object.prototype.hasOwnProperty

/** A value that this client cannot set. If it does not see it either, the value is like a property that does not
 * exist. */
function refuseUnsettable(value: Field | Computed, draft: Draft, problems: Problem[]): void {
  const { reading, pointer } = draft
  if (reading.fieldRights.sees(value)) refuseReadOnly(value.name, pointer, reading, problems)
  else refuseUnknown(draft, value.name, problems)
}

/** PUT passes over what is read-only. */
function refuseReadOnly(name: string, parent: string, { isInReplace }: Reading, problems: Problem[]): void {
  if (isInReplace) return
  problems.push({ pointer: pointerTo(parent, name), message: 'is read-only: leave it out', keyword: 'readOnly' })
}

function refuseUnknown({ resource, reading, pointer: parent }: Draft, name: string, problems: Problem[]): void {
  const { key } = resource
  const needing = resource.neededBy.find((one) => one.name === name)
  if (needing !== undefined) {
    const { target, inverse } = needing
    const setBy = inverse.kind === 'reference' ? inverse.foreignKey : inverse.name
    const message = `is read-only: '${setBy}' of ${target.key} sets it`
    problems.push({ pointer: pointerTo(parent, name), message, keyword: 'readOnly' })
    return
  }
  const isOwner = resource.ownedBy.some(({ foreignKey }) => foreignKey === name)
  // Nobody reads more suggestions than these.
  const similar = problems.length < 100 ? didYouMean(name, knownNames(resource, reading.fieldRights)) : ''
  const hint = isOwner ? ' here: the path, or the record around it, says the owner' : similar
  const message = `${key} has no property '${shortened(name)}'${hint}`
  const params = { additionalProperty: shortened(name) }
  problems.push({ pointer: pointerTo(parent, name), message, keyword: 'additionalProperties', params })
}

function knownNames({ names }: Resource, fieldRights: FieldRights): readonly string[] {
  const known = [...names].filter(([, meaning]) => {
    if (meaning.is === 'field') return knowsField(fieldRights, meaning.field)
    return meaning.is !== 'computed' || fieldRights.sees(meaning.computed)
  })
  return known.map(([name]) => name)
}

/** What a cut record lacks, a PUT would take away. */
function refusePartial({ key }: Resource, parent: string, problems: Problem[]): void {
  const message = `marks ${withArticle(key)} that is incomplete: PUT needs the whole record; send a part by PATCH`
  problems.push({ pointer: pointerTo(parent, 'partial'), message, keyword: 'partial' })
}

/** The mark of a record that `fields` or `include` has cut. To a PATCH, which takes parts, it says no more than
 * that. */
function readMark(value: unknown, parent: string, problems: Problem[]): boolean {
  if (value !== true) problems.push({ pointer: pointerTo(parent, 'partial'), message: 'must be true, or left out' })
  return true
}

const EMPTY_BODY = {}

/** The place that an element of an array in order says, and the element without it. */
function placeIn(element: unknown): { readonly before: unknown; readonly unplaced: unknown } {
  if (!isObject(element) || element[BEFORE] === undefined) return { before: undefined, unplaced: element }
  const { [BEFORE]: before, ...unplaced } = element
  return { before, unplaced }
}

function readOwnId(
  { id: { assignedBy }, shortId }: Resource,
  operation: BodyOperation,
  value: unknown,
  parent: string,
  problems: Problem[],
): Id | undefined {
  if (operation !== 'create') return readId(shortId, value, 'id', parent, problems)
  if (assignedBy === 'client' || assignedBy === 'members') return readNewId(shortId, value, parent, problems)
  const by = assignedBy === 'database' ? 'the database' : 'the service'
  const message = `is assigned by ${by}: leave it out to create a record`
  problems.push({ pointer: pointerTo(parent, 'id'), message, keyword: 'readOnly' })
  return undefined
}

/** The id that a client gives to a new record. */
function readNewId(kind: IdKind, value: unknown, parent: string, problems: Problem[]): Id | undefined {
  const id = readId(kind, value, 'id', parent, problems)
  if (id === undefined || kind.isChoosable(id)) return id
  problems.push({
    pointer: pointerTo(parent, 'id'),
    message: kind.choiceProblem,
    keyword: 'id',
    params: { type: kind.name },
  })
  return undefined
}

/** Where clients give ids, a new record has one. Of a body that is no object, nothing is said to be missing. */
export function requireNewId({ resource, id, body, pointer }: Draft, problems: Problem[]): void {
  if (resource.id.assignedBy !== 'client' || id !== undefined || body.id !== undefined || body === EMPTY_BODY) return
  problems.push({ ...lacks(pointer, 'id'), message: 'is required: the client gives the id of a new record' })
}

function readId(kind: IdKind, value: unknown, name: string, parent: string, problems: Problem[]): Id | undefined {
  const id = kind.fromJson(value)
  if (id === undefined) problems.push({ pointer: pointerTo(parent, name), ...notAnId(kind) })
  return id
}

function readField(field: Field, value: unknown, draft: MutableDraft, problems: Problem[]): unknown {
  const { pointer: parent, operation, reading } = draft
  if (value === null) {
    if (!field.nullable)
      problems.push({ pointer: pointerTo(parent, field.name), message: 'must not be null', ...NOT_NULL })
    return null
  }
  const found = field.check(value)
  const change = found.length === 0 ? undefined : readNumberChange(field, value, draft, problems)
  if (change !== undefined) return change
  if (found.length === 0 && reading.long.size === 0) return value
  const here = pointerTo(parent, field.name)
  const unfit = found.map(({ at, ...fault }): Problem => ({ pointer: here + at, ...fault }))
  const long = longBelow(reading.long, here)
  unfit.push(...long.filter((at) => unfit.every(({ pointer }) => pointer !== at)).map(losesDigitsAt))
  if (unfit.length === 0) return value
  problems.push(...unfit)
  // What is sent back as it was shown stays as it is, also where the schema allows it no longer.
  if (operation === 'create' || field.writeOnly || !reading.fieldRights.sees(field)) return value
  // Nor may a column be asked for an id that it cannot hold.
  if (draft.resource.idMembers.includes(field) || !isStorable(value, field.storage)) return value
  draft.unfit = new Map([...draft.unfit, [field.position, unfit]])
  reading.unfit.push(...unfit)
  return value
}

function readForeignKey(reference: ForeignKey, value: unknown, parent: string, problems: Problem[]): unknown {
  const { kind, foreignKey, nullable, source, target } = reference
  // A value that is not an id is a problem already. Null keeps it from also being reported as missing.
  if (value !== null) return readId(target.id, value, foreignKey, parent, problems) ?? null
  if (!nullable) {
    const message = `must not be null: ${withArticle(source.key)} ${kind === 'ownedBy' ? 'has an owner' : 'needs one'}`
    problems.push({ pointer: pointerTo(parent, foreignKey), message, ...NOT_NULL })
  }
  return null
}

function readOwned(owns: Owns, owner: Draft, value: unknown, problems: Problem[]) {
  const pointer = pointerTo(owner.pointer, owns.name)
  return owns.many
    ? readOwnedMany(owns, owner, value, pointer, problems)
    : readOwnedOne(owns, owner, value, pointer, problems)
}

function readOwnedOne(
  owns: Owns,
  { operation, reading }: Draft,
  value: unknown,
  pointer: string,
  problems: Problem[],
): Draft | null {
  if (value !== null) return readBody(owns.target, operation, value, pointer, problems, reading)
  if (owns.required && !mayBeThere(owns, operation, reading)) problems.push(missesOne(owns, pointer))
  return null
}

function readOwnedMany(
  owns: Owns,
  { operation, reading }: Draft,
  value: unknown,
  pointer: string,
  problems: Problem[],
): readonly Draft[] {
  if (!isArray(value, pointer, problems)) return []
  const drafts: Draft[] = []
  const seen = operation === 'create' && !isGivenByClient(owns.target.id) ? undefined : new Set<Id>()
  for (let index = 0; index < value.length; index++) {
    const element = value[index]
    const elementPointer = pointerTo(pointer, index)
    const removal = readRemoval(owns.target, operation, element, elementPointer, problems)
    const body = removal?.element ?? element
    const elementOperation = operation !== 'create' && (removal || hasId(owns.target, body)) ? operation : 'create'
    const draft = readBody(owns.target, elementOperation, body, elementPointer, problems, reading)
    refuseTwice(draft.id, seen, pointerToId(owns.target, draft.body, elementPointer), problems)
    drafts.push(removal === undefined ? draft : { ...draft, removedAt: removal.removedAt })
  }
  return drafts
}

/** Whether a record that is there may have what the client does not see. What is sent back is compared with the record
 * later. */
function mayBeThere({ target }: Owns | Link, operation: BodyOperation, { partlyHidden }: Reading): boolean {
  return operation !== 'create' && partlyHidden.has(target)
}

/** An id that is none is a problem, and not that of a new record. */
function hasId(resource: Resource, element: unknown): boolean {
  return isObject(element) && (element.id !== undefined || idInBody(resource, element) !== undefined)
}

function readLink(
  link: Link,
  { operation, reading, pointer: parent }: Draft,
  value: unknown,
  problems: Problem[],
): readonly LinkElement[] {
  const listPointer = pointerTo(parent, link.name)
  if (!isArray(value, listPointer, problems)) return []
  if (link.needs && value.length === 0 && operation !== 'patch' && !mayBeThere(link, operation, reading)) {
    problems.push(missesAny(link, listPointer))
  }
  const elements: LinkElement[] = []
  const seen = new Set<Id>()
  for (const [index, given] of value.entries()) {
    const pointer = pointerTo(listPointer, index)
    const removal = readRemoval(link.target, operation, given, pointer, problems)
    const whole = removal?.element ?? given
    const { before, unplaced: element } =
      link.order === undefined ? { before: undefined, unplaced: whole } : placeIn(whole)
    if (!isObject(element)) {
      const message = `must be an object with the id of ${withArticle(link.target.key)}`
      problems.push({ pointer, message, ...AN_OBJECT })
      continue
    }
    if (operation !== 'patch' && Object.hasOwn(element, REMOVE)) refuseRemoval(operation, pointer, problems)
    else checkSummary(link.target, element, pointer, reading.fieldRights, problems)
    if (element.id === undefined) {
      // What a removal lacks was said.
      if (removal === undefined) problems.push(lacks(pointer, 'id'))
      continue
    }
    const id = readId(link.target.id, element.id, 'id', pointer, problems)
    if (id === undefined) continue
    refuseTwice(id, seen, pointerTo(pointer, 'id'), problems)
    const place = before === undefined ? undefined : readPlace(link.target.id, before, pointer, reading, problems)
    const at = removal?.removedAt ?? pointerTo(pointer, 'id')
    elements.push({ id, pointer: at, isRemoved: removal !== undefined, place })
  }
  return elements
}

/** `seen`: the ids before this one; undefined if elements have no ids. `pointer`: to the id. */
function refuseTwice(id: Id | undefined, seen: Set<Id> | undefined, pointer: string, problems: Problem[]): void {
  if (id === undefined || seen === undefined) return
  if (seen.has(id)) {
    const message = `${id} occurs twice in this array`
    problems.push({ pointer, message, keyword: 'uniqueItems', params: { id } })
  }
  seen.add(id)
}

function isArray(value: unknown, pointer: string, problems: Problem[]): value is readonly unknown[] {
  if (Array.isArray(value)) return true
  problems.push({ pointer, message: 'must be an array', keyword: 'type', params: { type: 'array' } })
  return false
}
