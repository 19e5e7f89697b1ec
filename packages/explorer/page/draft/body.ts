import { isOwning, type ModelDocument, type Resource, type Row } from '../model/model.ts'
import { sameId } from '../model/names.ts'
import type { Problem } from '../service/problem.ts'
import { type Draft, isChanged } from './draft.ts'

/** What is sent, and which draft each object of it is, by its pointer. */
export interface DraftBody {
  /** Undefined: nothing is changed. */
  readonly body: Row | undefined
  readonly places: ReadonlyMap<string, string>
}

/** The body of a POST for a new record, of a PATCH with only what changed for one that is there. */
export function bodyOf(model: ModelDocument, draft: Draft): DraftBody {
  const places = new Map<string, string>()
  const body = toBody(model, draft, '', places)
  return { body: draft.base !== undefined && Object.keys(body).length === 0 ? undefined : body, places }
}

type MutableRow = Record<string, unknown>

function toBody(model: ModelDocument, draft: Draft, pointer: string, places: Map<string, string>): MutableRow {
  places.set(pointer, draft.key)
  const body: MutableRow = {}
  for (const [name, value] of Object.entries(draft.values)) {
    if (value !== undefined && isChanged(draft, name)) body[name] = value
  }
  const { relations } = model.resources[draft.resource] as Resource
  for (const [name, owned] of Object.entries(draft.owned)) {
    const isMany = relations[name]?.kind === 'owns.many'
    if (!isMany) {
      const part = ownedPart(model, draft, name, owned, `${pointer}/${name}`, places)
      if (part !== undefined) body[name] = part
      continue
    }
    const elements = ownedElements(model, draft, name, owned, `${pointer}/${name}`, places)
    if (elements.length > 0) body[name] = elements
  }
  for (const [name, links] of Object.entries(draft.links)) {
    const there = links.flatMap(({ id, state }) => (state === 'removed' ? [] : [{ key: String(id), id }]))
    const before = relations[name]?.ordered ? placesOf(draft, name, there) : NO_PLACES
    const changed = links.filter(({ id, state }) => state !== 'kept' || before.has(String(id)))
    if (changed.length === 0) continue
    body[name] = changed.map(({ id, state }) => {
      if (state === 'removed') return { id, $remove: true }
      return before.has(String(id)) ? { id, $before: before.get(String(id)) } : { id }
    })
  }
  return body
}

/** The value of an `owns.one`: null if it goes; undefined if it stays as it is. */
function ownedPart(
  model: ModelDocument,
  owner: Draft,
  name: string,
  owned: readonly Draft[],
  pointer: string,
  places: Map<string, string>,
): MutableRow | null | undefined {
  const part = owned.find(({ removed }) => !removed)
  if (part === undefined) return owner.base?.[name] ? null : undefined
  const body = toBody(model, part, pointer, places)
  return part.base !== undefined && Object.keys(body).length === 0 ? undefined : body
}

function ownedElements(
  model: ModelDocument,
  owner: Draft,
  name: string,
  owned: readonly Draft[],
  pointer: string,
  places: Map<string, string>,
): MutableRow[] {
  const isOrdered = model.resources[owner.resource]?.relations[name]?.ordered === true
  const there = owned.filter(({ removed }) => !removed)
  const before = isOrdered ? placesOf(owner, name, there) : NO_PLACES
  const elements: MutableRow[] = []
  for (const child of owned) {
    const at = `${pointer}/${elements.length}`
    if (child.removed) {
      places.set(at, child.key)
      elements.push({ id: child.id, $remove: true })
      continue
    }
    const body = toBody(model, child, at, places)
    if (before.has(child.key)) body.$before = before.get(child.key)
    if (child.base === undefined) elements.push(body)
    else if (Object.keys(body).length > 0) elements.push({ id: child.id, ...body })
  }
  return elements
}

/** The place of an element, by its key: the id of the next one, or null for the end. */
type Places = ReadonlyMap<string, unknown>

const NO_PLACES: Places = new Map()

type Placed = Pick<Draft, 'key' | 'id'>

/**
 * Which elements say a place, and which one. The most elements that are in their old order stay where they are. Each
 * other one goes in front of the next of these, one after the other, or to the end.
 */
function placesOf(owner: Draft, name: string, there: readonly Placed[]): Places {
  const old = ((owner.base?.[name] ?? []) as readonly Row[]).map(({ id }) => id)
  const positions = there.map(({ id }) => old.findIndex((one) => sameId(one, id)))
  const staying = longestRise(positions)
  const lastStaying = Math.max(-1, ...staying)
  const isAdding = there.every((_, index) => staying.has(index) || (index > lastStaying && positions[index] === -1))
  if (isAdding) return NO_PLACES
  const places = new Map<string, unknown>()
  there.forEach((child, index) => {
    if (staying.has(index)) return
    const next = there.findIndex((_, other) => other > index && staying.has(other))
    places.set(child.key, next < 0 ? null : there[next]?.id)
  })
  return places
}

/** The indexes of a longest sequence of rising numbers. -1 is none. */
function longestRise(numbers: readonly number[]): Set<number> {
  const best: { length: number; before: number }[] = []
  let end = -1
  numbers.forEach((number, index) => {
    let [length, before] = number < 0 ? [0, -1] : [1, -1]
    for (let other = 0; number >= 0 && other < index; other += 1) {
      const { length: longer = 0 } = best[other] ?? {}
      if ((numbers[other] ?? -1) >= 0 && (numbers[other] ?? 0) < number && longer + 1 > length) {
        ;[length, before] = [longer + 1, other]
      }
    }
    best.push({ length, before })
    if (length > (best[end]?.length ?? 0)) end = index
  })
  const indexes = new Set<number>()
  for (let index = end; index >= 0; index = best[index]?.before ?? -1) indexes.add(index)
  return indexes
}

/** The problems of an answer, by the draft and the name that they are about. `''` is the record itself. */
export type DraftProblems = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** Brings each problem to its input, however deep. Those of no input are `others`. */
export function placeProblems(
  errors: readonly Problem[],
  places: ReadonlyMap<string, string>,
): { readonly placed: DraftProblems; readonly others: readonly string[] } {
  const placed = new Map<string, Map<string, string[]>>()
  const others: string[] = []
  for (const { pointer, message, parameter } of errors) {
    const at = pointer === undefined ? undefined : placeOf(pointer, places)
    if (at === undefined) {
      others.push(parameter === undefined ? message : `${parameter}: ${message}`)
      continue
    }
    const ofDraft = placed.get(at.key) ?? new Map<string, string[]>()
    placed.set(at.key, ofDraft)
    ofDraft.set(at.name, [...(ofDraft.get(at.name) ?? []), at.rest === '' ? message : `${at.rest}: ${message}`])
  }
  return { placed, others }
}

function placeOf(pointer: string, places: ReadonlyMap<string, string>) {
  const all = [...places].filter(([place]) => place === '' || pointer === place || pointer.startsWith(`${place}/`))
  const [place, key] = all.sort(([one], [other]) => other.length - one.length)[0] ?? []
  if (place === undefined || key === undefined) return undefined
  const [name = '', ...rest] = pointer.slice(place.length + 1).split('/')
  return { key, name: name.replaceAll('~1', '/').replaceAll('~0', '~'), rest: rest.join('/') }
}

/** Whether a body takes owned records away: these may take others along. `null` may be one that an owner has only one of. */
export function isRemoving(model: ModelDocument, resource: string, body: Row): boolean {
  return Object.entries(model.resources[resource]?.relations ?? {}).some(([name, relation]) => {
    const value = body[name]
    if (!isOwning(relation) || value === undefined) return false
    if (value === null) return true
    const parts = (Array.isArray(value) ? value : [value]) as readonly Row[]
    return parts.some((part) => part.$remove === true || isRemoving(model, relation.target, part))
  })
}

/** How many values, parts and links of the tree differ from the stored ones. */
export function countChanges(model: ModelDocument, draft: Draft): number {
  const { body } = bodyOf(model, draft)
  return body === undefined ? 0 : countIn(body)
}

function countIn(body: Row): number {
  if (body.$remove === true) return 1
  const names = Object.keys(body).filter((name) => name !== 'id')
  const counts = names.map((name) => {
    const value = body[name]
    const isElements =
      Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null)
    if (!isElements) return 1
    return (value as Row[]).reduce((sum, one) => sum + Math.max(1, countIn(one)), 0)
  })
  return counts.reduce((sum, count) => sum + count, 0)
}
