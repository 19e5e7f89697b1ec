import { listsOf, type Node, nodesOf } from './body-nodes.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import { type Maker, newBody, newTarget, newTargets, newValue } from './random-bodies.ts'
import { namesIn, type RefResource, resourceOf } from './reference-model.ts'

type Edit = (maker: Maker, nodes: readonly Node[]) => void

/** Changes some places of what GET returned, as a client would before it sends that back. */
export function editRecord(maker: Maker, resource: RefResource, record: JsonObject, most: number): void {
  const count = 1 + maker.tape.upTo(most)
  for (let done = 0; done < count; done += 1) {
    const before = JSON.stringify(record)
    const first = maker.tape.upTo(edits.length)
    // What cannot be done to this one is passed over.
    for (const edit of [...edits.slice(first), ...edits.slice(0, first)]) {
      edit(maker, nodesOf(maker.model, resource, record))
      if (JSON.stringify(record) !== before) break
    }
  }
}

/** Exchanges unique values between two records of one resource in a body. */
export const swapUniques: Edit = ({ tape, state }, nodes) => {
  const first = tape.of(nodes.filter(({ resource, body }) => resource.uniques.length > 0 && own(body, 'id')))
  if (first === undefined) return
  const { resource } = first
  const others = nodes.filter((node) => node.resource === resource && node !== first && own(node.body, 'id'))
  const cycle = [first, ...tape.some(others, 3)]
  const unique = tape.of(resource.uniques)
  const names = unique === undefined ? [] : tape.once(2) ? unique.names : namesIn(unique)
  const members = new Set(
    names.map((name) => resource.references.find((reference) => reference.name === name)?.foreignKey ?? name),
  )
  const stored = cycle.map(({ body }) => state.rows.get(resource.key)?.get(Number(body.id))?.values ?? {})
  for (const [index, { body }] of cycle.entries()) {
    const from = stored[(index + 1) % cycle.length] ?? {}
    for (const member of members) if (Object.hasOwn(from, member)) body[member] = from[member] ?? null
  }
}

const changeField: Edit = (maker, nodes) => {
  const node = maker.tape.of(nodes.filter(({ resource }) => resource.fields.length > 0))
  const field = maker.tape.of(node?.resource.fields ?? [])
  if (node !== undefined && field !== undefined) node.body[field.name] = newValue(maker, node.resource, field)
}

const dropProperty: Edit = ({ tape }, nodes) => {
  const node = tape.of(nodes)
  const { fields = [], references = [], links = [], owns = [] } = node?.resource ?? {}
  const droppable = [
    ...fields.filter(({ required }) => !required).map(({ name }) => name),
    ...references.filter(({ nullable }) => nullable).map(({ foreignKey }) => foreignKey),
    ...references.map(({ name }) => name),
    ...links.filter(({ needs }) => !needs).map(({ name }) => name),
    ...owns.filter((one) => !one.required).map(({ name }) => name),
  ]
  const name = tape.of(droppable)
  if (node !== undefined && name !== undefined) delete node.body[name]
}

const changeReference: Edit = (maker, nodes) => {
  const node = maker.tape.of(nodes.filter(({ resource }) => resource.references.length > 0))
  const reference = maker.tape.of(node?.resource.references ?? [])
  if (node === undefined || reference === undefined) return
  const id = newTarget(maker, node.resource, reference)
  const isCleared = reference.nullable && maker.tape.once(3)
  if (id !== undefined) node.body[reference.foreignKey] = isCleared ? null : id
}

const changeLinks: Edit = (maker, nodes) => {
  const node = maker.tape.of(nodes.filter(({ resource }) => resource.links.length > 0))
  const link = maker.tape.of(node?.resource.links ?? [])
  if (node === undefined || link === undefined) return
  const before = own(node.body, link.name)
  const elements = [...maker.tape.some(Array.isArray(before) ? before : [], 3), ...newTargets(maker, link)]
  const byId = new Map(elements.filter(isObject).map((element) => [element.id, element]))
  node.body[link.name] = [...byId.values()]
}

/** What stands in a nested record that is not owned is read-only. */
const changeNested: Edit = (maker, nodes) => {
  const node = maker.tape.of(nodes.filter(({ resource }) => resource.references.length > 0))
  const reference = maker.tape.of(node?.resource.references ?? [])
  const nested = reference && node && own(node.body, reference.name)
  if (reference === undefined || !isObject(nested)) return
  const target = resourceOf(maker.model, reference.target)
  const field = maker.tape.of(target.fields)
  if (field !== undefined) nested[field.name] = newValue(maker, target, field)
}

const addChild: Edit = (maker, nodes) => {
  const node = maker.tape.of(nodes.filter(({ resource }) => resource.owns.length > 0))
  const owns = maker.tape.of(node?.resource.owns ?? [])
  if (node === undefined || owns === undefined) return
  const child = newBody(maker, resourceOf(maker.model, owns.target), 2)
  if (child === undefined) return
  const before = own(node.body, owns.name)
  node.body[owns.name] = owns.many ? [...(Array.isArray(before) ? before : []), child] : child
}

const dropChild: Edit = ({ tape }, nodes) => {
  const { list = [] } = tape.of(listsOf(nodes).filter((one) => one.list.length > 0)) ?? {}
  list.splice(tape.upTo(list.length), 1)
}

const shuffleElements: Edit = ({ tape }, nodes) => {
  const ofLinks = nodes.flatMap(({ resource, body }) => resource.links.map(({ name }) => own(body, name)))
  const lists = [...listsOf(nodes).map(({ list }) => list), ...ofLinks.filter((list) => Array.isArray(list))]
  const list = tape.of(lists.filter((one) => one.length > 1)) ?? []
  list.splice(0, list.length, ...tape.shuffled(list))
}

const clearOne: Edit = ({ tape }, nodes) => {
  const node = tape.of(nodes.filter(({ within }) => within?.owns.many === false))
  if (node?.within === undefined) return
  const { owner, owns } = node.within
  const fresh: Json = owns.required || tape.once(2) ? {} : null
  owner[owns.name] = fresh
}

/** The record as it was, but as a new one: what it held must be free for it. */
const forgetIds: Edit = ({ tape, model }, nodes) => {
  const node = tape.of(nodes.filter(({ within }) => within !== undefined))
  if (node === undefined) return
  delete node.body.id
  for (const inner of nodesOf(model, node.resource, node.body)) delete inner.body.id
}

/** One child goes, and another takes its unique values. */
const inherit: Edit = ({ tape }, nodes) => {
  const { node, owns, list = [] } = tape.of(listsOf(nodes).filter((one) => one.list.length > 1)) ?? {}
  const inner = node && owns && nodes.filter(({ within }) => within?.owner === node.body && within.owns === owns)
  const [gone] = list.splice(tape.upTo(list.length), 1)
  const heir = tape.of((inner ?? []).filter(({ body }) => body !== gone))
  if (heir === undefined || !isObject(gone)) return
  for (const name of new Set(heir.resource.uniques.flatMap(namesIn))) {
    const key = heir.resource.references.find((reference) => reference.name === name)?.foreignKey ?? name
    const value = own(gone, key)
    if (value !== undefined) heir.body[key] = value
  }
}

/** An owned record goes, and one that needs or knows it names another one instead, or nothing, or still that one. */
const letGo: Edit = (maker, nodes) => {
  const named = nodes.flatMap((node) =>
    node.resource.references.flatMap((reference) => {
      const gone = nodes.find(({ resource, body, within }) => {
        return within && resource.key === reference.target && body.id === own(node.body, reference.foreignKey)
      })
      return gone?.within && gone.body.id !== undefined ? [{ node, reference, gone: gone.body, ...gone.within }] : []
    }),
  )
  const chosen = maker.tape.of(named)
  if (chosen === undefined) return
  const { node, reference, gone, owner, owns } = chosen
  const siblings = own(owner, owns.name)
  owner[owns.name] = Array.isArray(siblings) ? siblings.filter((sibling) => sibling !== gone) : null
  if (maker.tape.once(3)) return
  const id = newTarget(maker, node.resource, reference)
  node.body[reference.foreignKey] = id === undefined || (reference.nullable && maker.tape.once(3)) ? null : id
}

/** The same body, written down in another order. */
const reorderKeys: Edit = (_, nodes) => {
  for (const { body } of nodes) {
    for (const [name, value] of Object.entries(body).reverse()) {
      delete body[name]
      body[name] = reversed(value)
    }
  }
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([name, item]) => [name, reversed(item)]))
}

const edits: readonly Edit[] = [
  changeField,
  addChild,
  letGo,
  inherit,
  swapUniques,
  dropChild,
  letGo,
  changeReference,
  changeLinks,
  shuffleElements,
  swapUniques,
  changeNested,
  dropProperty,
  clearOne,
  forgetIds,
  reorderKeys,
]
