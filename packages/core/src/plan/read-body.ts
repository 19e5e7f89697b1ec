import { type Problem, shortened } from '../errors.ts'
import type { Field, Link, Owns, Reference, Resource } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'
import type { Draft, LinkElement, Mode } from './draft.ts'
import { pointerTo } from './pointer.ts'

/**
 * Reads the body of a request about a record of the resource. Adds every problem to the list; what it returns is
 * complete only if there is none.
 */
export function readBody(resource: Resource, mode: Mode, body: unknown, pointer: string, problems: Problem[]): Draft {
  const draft = {
    resource,
    mode,
    pointer,
    id: undefined as number | undefined,
    values: new Map<Field | Reference, unknown>(),
    ownedOne: mapBy<Owns, Draft | null>(resource.owns),
    ownedMany: mapBy<Owns, readonly Draft[]>(resource.owns),
    links: mapBy<Link, readonly LinkElement[]>(resource.links),
    body: {} as Readonly<Record<string, unknown>>,
  }
  if (!isObject(body)) {
    problems.push({ pointer, message: `must be an object that describes a ${resource.key}` })
    return draft
  }
  draft.body = body
  for (const name of Object.keys(body)) {
    const value = body[name]
    if (value === undefined) continue
    const meaning = resource.names.get(name)
    // Most of a body are fields, whose places are of interest only if there is a problem.
    if (meaning?.is === 'field') {
      draft.values.set(meaning.field, readField(meaning.field, value, pointer, problems))
      continue
    }
    const place = pointerTo(pointer, name)
    if (name === 'id') {
      draft.id = readOwnId(mode, value, place, problems)
      continue
    }
    if (meaning === undefined) {
      // Beyond that, the suggestions are not read any more.
      const hint = problems.length < 100 ? didYouMean(name, resource.names.keys()) : ''
      problems.push({ pointer: place, message: `${resource.key} has no property '${shortened(name)}'${hint}` })
      continue
    }
    switch (meaning.is) {
      case 'foreignKey':
        draft.values.set(meaning.reference, readForeignKey(meaning.reference, value, place, problems))
        break
      case 'nested':
        readNested(meaning.reference, value, place, problems)
        break
      case 'owns':
        if (meaning.owns.many)
          draft.ownedMany.set(meaning.owns, readOwnedMany(meaning.owns, mode, value, place, problems))
        else draft.ownedOne.set(meaning.owns, readOwnedOne(meaning.owns, mode, value, place, problems))
        break
      case 'link':
        draft.links.set(meaning.link, readLink(meaning.link, mode, value, place, problems))
        break
    }
  }
  if (mode !== 'patch') fillIn(draft, problems)
  return draft
}

/** Shared by all that have nothing to put into it. */
const NOTHING = new (class extends Map<never, never> {
  override set(): never {
    throw new TypeError('there is nothing that could be a key here')
  }
})()

/** A map by the relations of a resource: always the same one if it has none. */
function mapBy<Relation, Value>(relations: readonly Relation[]): Map<Relation, Value> {
  return relations.length === 0 ? NOTHING : new Map()
}

/** What POST and PUT make of the properties that the body leaves out. */
function fillIn(draft: MutableDraft, problems: Problem[]): void {
  const { resource, pointer } = draft
  const missing = (name: string) => problems.push({ pointer: pointerTo(pointer, name), message: 'is required' })
  for (const field of resource.fields) {
    if (draft.values.has(field)) continue
    if (field.default !== undefined) draft.values.set(field, field.default)
    else if (field.required) missing(field.name)
    else draft.values.set(field, null)
  }
  for (const reference of resource.references) {
    if (draft.values.has(reference)) continue
    if (reference.needs) missing(reference.foreignKey)
    else draft.values.set(reference, null)
  }
  for (const owns of resource.owns) {
    if (owns.many) {
      if (!draft.ownedMany.has(owns)) draft.ownedMany.set(owns, [])
    } else if (!draft.ownedOne.has(owns)) {
      if (owns.required) missing(owns.name)
      draft.ownedOne.set(owns, null)
    }
  }
  for (const link of resource.links) {
    if (draft.links.has(link)) continue
    if (link.needs) missing(link.name)
    draft.links.set(link, [])
  }
}

type MutableDraft = Draft & {
  values: Map<Field | Reference, unknown>
  ownedOne: Map<Owns, Draft | null>
  ownedMany: Map<Owns, readonly Draft[]>
  links: Map<Link, readonly LinkElement[]>
}

function readOwnId(mode: Mode, value: unknown, place: string, problems: Problem[]): number | undefined {
  if (mode === 'create') {
    problems.push({ pointer: place, message: 'is given by the database: a record that is created has no id yet' })
    return undefined
  }
  return readId(value, place, problems)
}

function readId(value: unknown, place: string, problems: Problem[]): number | undefined {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  problems.push({ pointer: place, message: 'must be an id: a positive integer' })
  return undefined
}

function readField(field: Field, value: unknown, parent: string, problems: Problem[]): unknown {
  if (value === null) {
    if (!field.nullable) problems.push({ pointer: pointerTo(parent, field.name), message: 'must not be null' })
    return null
  }
  for (const { at, message } of field.check(value)) {
    problems.push({ pointer: pointerTo(parent, field.name) + at, message })
  }
  return value
}

function readForeignKey(reference: Reference, value: unknown, place: string, problems: Problem[]): unknown {
  if (value !== null) return readId(value, place, problems)
  if (reference.needs)
    problems.push({ pointer: place, message: `must not be null: a ${reference.source.key} needs one` })
  return null
}

/** The nested record of a reference is read-only: its shape is looked at, its values are not. */
function readNested(reference: Reference, value: unknown, place: string, problems: Problem[]): void {
  if (value === null) return
  if (!isObject(value)) {
    problems.push({ pointer: place, message: `must be a ${reference.target.key} or null; it is read-only` })
    return
  }
  checkSummary(reference.target, value, place, problems)
}

function checkSummary(
  target: Resource,
  value: Readonly<Record<string, unknown>>,
  place: string,
  problems: Problem[],
): void {
  for (const name of Object.keys(value)) {
    if (name === 'id' || target.names.get(name)?.is === 'field') continue
    problems.push({
      pointer: pointerTo(place, name),
      message: `a related ${target.key} shows its id and its fields, not '${shortened(name)}'`,
    })
  }
}

function readOwnedOne(owns: Owns, mode: Mode, value: unknown, place: string, problems: Problem[]): Draft | null {
  if (value !== null) return readBody(owns.target, mode, value, place, problems)
  if (owns.required) problems.push({ pointer: place, message: `must not be null: a ${owns.source.key} must have one` })
  return null
}

function readOwnedMany(owns: Owns, mode: Mode, value: unknown, place: string, problems: Problem[]): readonly Draft[] {
  if (!isArray(value, place, problems)) return []
  const drafts: Draft[] = []
  const seen = new Set<number>()
  for (const [index, element] of value.entries()) {
    const pointer = pointerTo(place, index)
    const elementMode = mode !== 'create' && isObject(element) && element.id !== undefined ? mode : 'create'
    const draft = readBody(owns.target, elementMode, element, pointer, problems)
    refuseTwice(draft.id, seen, pointer, problems)
    drafts.push(draft)
  }
  return drafts
}

function readLink(link: Link, mode: Mode, value: unknown, place: string, problems: Problem[]): readonly LinkElement[] {
  if (!isArray(value, place, problems)) return []
  if (link.needs && value.length === 0 && mode !== 'patch') {
    problems.push({
      pointer: place,
      message: `must not be empty: a ${link.source.key} needs at least one ${link.target.key}`,
    })
  }
  const elements: LinkElement[] = []
  const seen = new Set<number>()
  for (const [index, element] of value.entries()) {
    const pointer = pointerTo(place, index)
    if (!isObject(element)) {
      problems.push({ pointer, message: `must be an object with the id of a ${link.target.key}` })
      continue
    }
    checkSummary(link.target, element, pointer, problems)
    const idPlace = pointerTo(pointer, 'id')
    if (element.id === undefined) {
      problems.push({ pointer: idPlace, message: 'is required' })
      continue
    }
    const id = readId(element.id, idPlace, problems)
    if (id === undefined) continue
    refuseTwice(id, seen, pointer, problems)
    elements.push({ id, pointer: idPlace })
  }
  return elements
}

function refuseTwice(id: number | undefined, seen: Set<number>, pointer: string, problems: Problem[]): void {
  if (id === undefined) return
  if (seen.has(id)) problems.push({ pointer: pointerTo(pointer, 'id'), message: `${id} stands twice in this array` })
  seen.add(id)
}

function isArray(value: unknown, place: string, problems: Problem[]): value is readonly unknown[] {
  if (Array.isArray(value)) return true
  problems.push({ pointer: place, message: 'must be an array' })
  return false
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
