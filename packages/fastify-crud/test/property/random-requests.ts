import fc from 'fast-check'
import { type ActName, wayTo } from './actions.ts'
import { addressesOf, type Collection, collectionsOf } from './addresses.ts'
import { nodesOf } from './body-nodes.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import { NUMBERINGS, type Numbering } from './places.ts'
import { type Maker, NO_ID, newBody, patchBody, placed, placedIn } from './random-bodies.ts'
import { editRecord, swapUniques } from './random-edits.ts'
import { withFault } from './random-faults.ts'
import type { Reference } from './reference.ts'
import type { Method, Request } from './reference-answer.ts'
import { type RefResource, resourceOf } from './reference-model.ts'
import { type Address, isAtTop, type PathId } from './reference-path.ts'
import { showAtTop, showRecord } from './reference-read.ts'
import { childrenOf, linkedTo, linksOf, type Row, rowsOf } from './reference-store.ts'
import { deletedOf, withDeleted } from './reference-trash.ts'
import { Tape } from './tape.ts'

const kinds = {
  create: 8,
  'create at': 2,
  list: 2,
  read: 1,
  same: 1,
  replace: 9,
  'replace afresh': 3,
  patch: 9,
  reorder: 5,
  delete: 3,
  link: 3,
  trash: 4,
  act: 3,
  odd: 2,
} as const

type Kind = keyof typeof kinds

/** What fast-check chooses for a request: the rest is read off the tape and the state that is there when it is sent. */
export interface Recipe {
  readonly kind: Kind
  readonly caller: number
  readonly tenant: number
  /** The request names what the caller does not see as well. */
  readonly isBlind: boolean
  readonly renumbered: Numbering | undefined
  readonly tape: readonly number[]
}

/** `weights`: how often there is a request of each kind, beside others. */
export const recipesOf = (weights: Partial<Record<Kind, number>>): fc.Arbitrary<Recipe> => {
  const weighted = Object.entries(weights).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))
  return fc.record({
    kind: fc.oneof(...weighted),
    caller: fc.nat(99),
    tenant: fc.nat(99),
    isBlind: fc.nat(4).map((number) => number === 4),
    renumbered: fc.oneof(
      { weight: 7, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...NUMBERINGS) },
    ),
    tape: fc.array(fc.nat(9999), { minLength: 20, maxLength: 200, size: 'max' }),
  })
}

export const randomRecipe: fc.Arbitrary<Recipe> = recipesOf(kinds)

/** An id that no side has given yet; the numbers of the two databases may differ from the reference's. */
export type FreshId = (resource: string, distance: number) => number

/** The request that a recipe makes of what the reference holds. Without callers, or before there is much, the system sends it. */
export function toRequest(reference: Reference, recipe: Recipe, freshId: FreshId, callers = 0): Request {
  const caller = recipe.caller % 3 === 0 || callers === 0 ? undefined : recipe.caller % callers
  return { ...requestBy(reference, recipe, freshId, caller), caller, renumbered: recipe.renumbered }
}

function requestBy(reference: Reference, recipe: Recipe, freshId: FreshId, caller: number | undefined): Request {
  const { model } = reference
  const state = reference.seenBy(recipe.isBlind ? undefined : caller)
  const maker: Maker = {
    model,
    state,
    tape: new Tape(recipe.tape),
    taken: new Set(),
    number: reference.requests,
    marks: 0,
  }
  switch (recipe.kind) {
    case 'create':
    case 'create at':
      return create(maker, recipe.kind === 'create at' ? freshId : undefined)
    case 'list':
      return list(maker)
    case 'odd':
      return odd(maker)
    case 'reorder':
      return reorder(maker)
    case 'trash':
      return inTrash(maker, reference)
    case 'act':
      return act(maker)
    default:
      return onRecord(maker, recipe.kind)
  }
}

function request(method: Method, address: Address, body?: Json): Request {
  // To a list, an array is the bodies of many records: `many.test.ts` has these.
  const isOfMany = address.id === undefined && Array.isArray(body)
  return { method, address, query: {}, body: isOfMany ? null : body }
}

function create(maker: Maker, freshId: FreshId | undefined): Request {
  const { model, tape } = maker
  const { resource, address, owner, by } = collectionFor(maker, tape.of([...model.resources.values()]), 0)
  const body = placedIn(maker, resource, newBody(maker, resource) ?? {}, by)
  const sent = tape.once(5) ? withFault(maker, resource, body) : body
  if (resource.isTop && isObject(sent) && tape.once(2)) {
    return request('POST', { owners: [], segment: resource.route, id: undefined }, { ...sent, ...owner })
  }
  if (freshId === undefined) return request('POST', address, sent)
  const present =
    tape.once(4) && !resource.sharesIds ? tape.of([...rowsOf(maker.state, resource.key).keys()]) : undefined
  const id: PathId = tape.once(12) ? '2147483648' : (present ?? freshId(resource.key, tape.upTo(3)))
  return request('POST', { ...address, id }, sent)
}

/** A collection where a record of the resource can be made; if something is missing for that, one where this can. */
function collectionFor(maker: Maker, resource: RefResource | undefined, depth: number): Collection {
  const { model, state, tape } = maker
  if (resource === undefined || depth > 20) throw new Error('the model has no first record')
  const lacking = neededBy(maker, resource).find((key) => rowsOf(state, key).size === 0)
  if (lacking !== undefined) return collectionFor(maker, model.resources.get(lacking), depth + 1)
  const all = collectionsOf(model, state, resource)
  const collection = tape.of(tape.once(8) ? all : all.filter(({ isTaken }) => !isTaken)) ?? tape.of(all)
  if (collection !== undefined) return collection
  const owner = tape.of(resource.owners)
  return collectionFor(maker, model.resources.get(owner?.target ?? ''), depth + 1)
}

/** What must be there before a record, or one that it may not be without. */
function neededBy(maker: Maker, resource: RefResource): string[] {
  const required = resource.owns.filter((owns) => owns.required)
  return [
    ...resource.references.flatMap(({ nullable, target }) => (nullable ? [] : [target])),
    ...resource.links.flatMap(({ needs, target }) => (needs ? [target] : [])),
    ...required.flatMap(({ target }) => {
      const child = maker.model.resources.get(target)
      return child === undefined ? [] : neededBy(maker, child)
    }),
  ]
}

function onRecord(maker: Maker, kind: Kind): Request {
  const { model, state, tape } = maker
  const all = [...model.resources.values()].flatMap((resource) => {
    return [...rowsOf(state, resource.key).values()].map((row) => ({ resource, row }))
  })
  // Those that own something more often: there is more that can go wrong.
  const chosen = tape.of([...all, ...all.filter(({ resource }) => resource.owns.length > 0)])
  if (chosen === undefined) return create(maker, undefined)
  const { resource, row } = chosen
  const address = tape.of(addressesOf(model, state, resource, row))
  if (address === undefined) throw new Error(`${resource.key} ${row.id} has no path`)
  if (kind === 'read') return request('GET', address)
  if (kind === 'delete') return request('DELETE', address)
  if (kind === 'link') return onLink(maker, resource, row, address)
  const body = bodyFor(maker, kind, resource, row)
  const method: Method = kind === 'patch' ? 'PATCH' : 'PUT'
  const sent = kind !== 'same' && tape.once(4) ? withFault(maker, resource, body) : body
  if (method === 'PATCH' || !tape.once(6)) return request(method, address, sent)
  if (isAtTop(model, address) && isObject(sent) && tape.once(2))
    return request(method, address, showAtTop(sent, resource, row))
  // PUT on the collection, with the id in the body.
  const withId = isObject(sent) && !tape.once(8) ? { id: row.id, ...sent } : sent
  return request(method, { ...address, id: undefined }, withId)
}

/** Adds or removes a link, of those that have an address: an owned record may have the segment. */
function onLink(maker: Maker, resource: RefResource, row: Row, address: Address): Request {
  const { tape, state } = maker
  const links = resource.links.filter(({ name }) => !resource.owns.some(({ segment }) => segment === name))
  const link = tape.of(links)
  if (link === undefined) return request('GET', address)
  const linked = linksOf(state, link.table).flatMap((one) => (one[link.from] === row.id ? [Number(one[link.to])] : []))
  const id = tape.of([...rowsOf(state, link.target).keys(), ...linked, ...linked, NO_ID]) ?? NO_ID
  const method = tape.once(3) ? 'DELETE' : 'PUT'
  const isPlaced = method === 'PUT' && (link.order === undefined ? tape.once(20) : tape.once(2))
  const body = isPlaced ? placed(maker, tape.once(12) ? { name: 1 } : {}, linked) : undefined
  return { ...request(method, address, body), link: { name: link.name, id } }
}

/** Says another order of an array that keeps one, in one of the ways that there are; without one, it changes something else. */
function reorder(maker: Maker): Request {
  const { model, state, tape } = maker
  const arrays = [...model.resources.values()].flatMap((resource) => {
    const ordered = [...resource.owns, ...resource.links].filter(({ order }) => order !== undefined)
    return [...rowsOf(state, resource.key).values()].flatMap((row) =>
      ordered.map((array) => ({ resource, row, array })),
    )
  })
  const idsIn = ({ row, array }: (typeof arrays)[number]): number[] => {
    return 'table' in array ? linkedTo(state, row, array) : childrenOf(state, row, array).map(({ id }) => id)
  }
  const chosen = tape.of(arrays.filter((one) => idsIn(one).length > 1))
  if (chosen === undefined) return onRecord(maker, 'patch')
  const { resource, row, array } = chosen
  const ids = idsIn(chosen)
  const address = tape.of(addressesOf(model, state, resource, row))
  if (address === undefined) throw new Error(`${resource.key} ${row.id} has no path`)
  const moved = (id: number) => placed(maker, {}, tape.once(8) ? ids : ids.filter((other) => other !== id))
  switch (tape.upTo(3)) {
    case 0:
      return request('PATCH', address, {
        [array.name]: tape.shuffled(ids).flatMap((id) => (tape.once(2) ? [{ id, ...moved(id) }] : [])),
      })
    case 1: {
      const record = showRecord(model, state, resource, row)
      const all = own(record, array.name)
      if (Array.isArray(all)) record[array.name] = tape.shuffled(all)
      return request('PUT', address, record)
    }
    default: {
      const id = tape.of(ids) ?? NO_ID
      if ('table' in array) {
        const hasAddress = resource.owns.every(({ segment }) => segment !== array.name)
        if (!hasAddress) return request('GET', address)
        return { ...request('PUT', address, moved(id)), link: { name: array.name, id } }
      }
      const target = resourceOf(model, array.target)
      const child = rowsOf(state, array.target).get(id)
      const at = child && tape.of(addressesOf(model, state, target, child))
      return at === undefined ? request('GET', address) : request('PATCH', at, moved(id))
    }
  }
}

/** Carries out an action, of a record or of a list. */
function act(maker: Maker): Request {
  const { model, state, tape } = maker
  const hasWay = (resource: RefResource, address: Address) =>
    address.owners.length === 0 || wayTo(model, resource) !== undefined
  if (tape.once(6)) {
    const { resource, address } = collectionFor(maker, tape.of([...model.resources.values()]), 0)
    return hasWay(resource, address) ? { ...request('POST', address), act: 'count' } : request('GET', address)
  }
  const all = [...model.resources.values()].flatMap((resource) => {
    return [...rowsOf(state, resource.key).values()].map((row) => ({ resource, row }))
  })
  const chosen = tape.of(all)
  if (chosen === undefined) return create(maker, undefined)
  const { resource, row } = chosen
  const address = tape.of(addressesOf(model, state, resource, row).filter((one) => hasWay(resource, one)))
  if (address === undefined) return onRecord(maker, 'patch')
  const name = tape.of<ActName>(['amend', 'amend', 'amend', 'look', 'refuse', 'remove']) ?? 'amend'
  const at = tape.once(12) ? { ...address, id: NO_ID } : address
  if (name === 'look' || name === 'remove') {
    return {
      ...request(name === 'look' ? 'GET' : 'POST', at, name === 'remove' && tape.once(12) ? {} : undefined),
      act: name,
    }
  }
  const patch = () => placedIn(maker, resource, patchBody(maker, resource, row), row.owner)
  const first: Json = tape.once(5) ? withFault(maker, resource, patch()) : patch()
  const body = name === 'amend' && tape.once(2) ? { first, second: patch() } : { first }
  const wrong = tape.of<Json>([{}, null, [], { first: 5 }, { ...body, third: {} }]) ?? null
  return { ...request('POST', at, tape.once(20) ? wrong : body), act: name }
}

/** Looks at deleted records, or brings one back, or removes it for good; where there is no trash, it deletes one. */
function inTrash(maker: Maker, { state, hasTrash }: Reference): Request {
  const { model, tape } = maker
  const kept = [...model.resources.values()].filter(({ key }) => state.deleted.has(key))
  const resource = tape.of(kept.filter(({ key }) => deletedOf(state, key).length > 0)) ?? tape.of(kept)
  if (!hasTrash || resource === undefined) return onRecord(maker, 'delete')
  const row = tape.of(deletedOf(state, resource.key))
  if (row === undefined || tape.once(4)) return listDeleted(maker, resource)
  const address = tape.of(addressesOf(model, withDeleted(state), resource, row))
  if (address === undefined) throw new Error(`${resource.key} ${row.id} has no path`)
  const live = tape.of([...rowsOf(state, resource.key).keys()])
  const id = tape.once(8) ? (tape.of([NO_ID, ...(live === undefined ? [] : [live]), 'x']) ?? NO_ID) : row.id
  const at = { ...address, id }
  if (tape.upTo(5) < 3) return { ...request('POST', at, tape.once(12) ? { id } : undefined), trash: '$restore' }
  return { ...request(tape.once(2) ? 'DELETE' : 'GET', at), trash: '$deleted' }
}

function listDeleted(maker: Maker, resource: RefResource): Request {
  const { model, state, tape } = maker
  const top: Address = { owners: [], segment: resource.route, id: undefined }
  const all = collectionsOf(model, state, resource).map(({ address }) => address)
  const address = tape.of(resource.isTop || all.length === 0 ? [...all, top] : all) ?? top
  const isThere = resource.isTop || resource.isRoot || address.owners.length > 0
  if (!isThere) return onRecord(maker, 'delete')
  const { query } = tape.once(4) ? list(maker) : { query: { limit: '100' } }
  return { method: 'GET', address, query, body: undefined, trash: '$deleted' }
}

function bodyFor(maker: Maker, kind: Kind, resource: RefResource, row: Row): JsonObject {
  const { model, state, tape } = maker
  const record = showRecord(model, state, resource, row, tape.once(3))
  switch (kind) {
    case 'same':
      return record
    case 'replace afresh':
      return newBody(maker, resource) ?? record
    case 'patch': {
      const body = placedIn(maker, resource, patchBody(maker, resource, row), row.owner)
      if (tape.once(4)) swapUniques(maker, nodesOf(model, resource, body))
      return tape.once(6) ? { id: row.id, ...body } : body
    }
    default:
      editRecord(maker, resource, record, 5)
      return record
  }
}

function list(maker: Maker): Request {
  const { tape, model } = maker
  const { address } = collectionFor(maker, tape.of([...model.resources.values()]), 0)
  const query: Record<string, string> = {}
  if (tape.once(2)) query.limit = tape.of(['2', '1', '100', '0', '101', '1e1', '-1', '', '02', 'x']) ?? ''
  if (tape.once(2)) query.offset = tape.of(['1', '0', '3', '1000', '-1', '+1', '1.0', 'x', '00']) ?? ''
  if (tape.once(8)) query[tape.of(['nope', 'Limit', 'constructor']) ?? 'nope'] = '1'
  return { method: 'GET', address, query, body: undefined }
}

/** A path that leads nowhere, or a method that it does not have. */
function odd(maker: Maker): Request {
  const { tape, model, state } = maker
  const { address, resource } = collectionFor(maker, tape.of([...model.resources.values()]), 0)
  const method = tape.of<Method>(['GET', 'DELETE', 'PUT', 'PATCH']) ?? 'GET'
  const isRead = method === 'GET' || method === 'DELETE'
  const body = isRead ? undefined : method === 'PATCH' ? {} : (newBody(maker, resource) ?? {})
  if (!isRead || tape.once(2)) {
    const { owners } = address
    // Another owner's record, one that is not there, and what is no id at all.
    const rows = [...rowsOf(state, resource.key).keys()]
    const id = tape.of<PathId>([NO_ID, '99999999999999999999', '01', '1e0', 'x', '+1', '1.0', '-1', ...rows, ...rows])
    const at = tape.upTo(owners.length + 1)
    const wrong = owners.map((owner, index) => (index === at ? { ...owner, id: tape.once(3) ? 'x' : NO_ID } : owner))
    return request(method, { ...address, owners: wrong, id: id ?? NO_ID }, body)
  }
  return request(method === 'GET' ? 'PATCH' : method, address, method === 'GET' ? {} : undefined)
}
