import { isDeepStrictEqual } from 'node:util'
import { type ActName, ASKED, bodiesIn, fitsAction } from './actions.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import type { Access } from './policy-spec.ts'
import {
  type Answer,
  EXISTS,
  FORBIDDEN,
  INVALID,
  type Method,
  NOT_FOUND,
  REFUSED,
  type Refusal,
  type Request,
  STILL_NEEDED,
  UNKNOWN_REFERENCE,
} from './reference-answer.ts'
import { type Checking, checkBody, checkLinkBody, type Pointers } from './reference-check.ts'
import { isChoosable, type RefLink, type RefModel, type RefResource, resourceOf } from './reference-model.ts'
import { learnOrder, type Unsure, unsureArray } from './reference-order.ts'
import {
  type Address,
  findPlace,
  isAt,
  isAtTop,
  isPathId,
  type Page,
  type Place,
  pageOf,
  resourceAt,
} from './reference-path.ts'
import {
  fulfils,
  hasPolicy,
  hiddenResources,
  mayWrite,
  type Rights,
  rightsFor,
  seenState,
} from './reference-policies.ts'
import { showAtTop, showList, showRecord } from './reference-read.ts'
import { refusalOf } from './reference-refusal.ts'
import {
  addRow,
  byId,
  childrenOf,
  type DeletedRow,
  emptyState,
  inOrder,
  isOwnersIdKept,
  isTaken,
  linksOf,
  type Owner,
  type Row,
  removeTree,
  rowsOf,
  type State,
} from './reference-store.ts'
import {
  besides,
  bringBack,
  deletedOf,
  deletedTree,
  findsDeleted,
  needingDeleted,
  seenBesides,
  withDeleted,
} from './reference-trash.ts'
import { reserveIds, startWrite, type Write, writeRow } from './reference-write.ts'

/**
 * The documented service in memory, as plainly as it can be written: every write works on a copy of everything, which
 * takes the place of the stored state if nothing was wrong.
 */
export class Reference {
  readonly model: RefModel
  state: State
  readonly hasTrash: boolean
  /** How many there were so far. */
  requests = 0
  /** The record that the last write made or changed, as the system sees it, with all relations. */
  written: { readonly resource: RefResource; readonly body: JsonObject } | undefined
  /** The array to which the last request has brought back a record, if nothing says where. `learn`: takes its elements in order. */
  unsure: (Unsure & { learn(ids: readonly number[]): void }) | undefined
  private readonly access: Access | undefined
  private readonly refusesChoice: (resource: string) => boolean
  /** The request's path is that of records with owners, but does not name these. */
  private isAtTop = false
  /** Undefined for the system. */
  private rights: Rights | undefined
  /** What the caller sees of everything that is stored. */
  private seen: State
  /** How the request's body is checked. */
  private checking: Checking

  /** `refusesChoice`: whether no request can choose the id of a new record. `keeps`: the resources with `softDelete`. `hasTrash`: these have a trash. */
  constructor(
    model: RefModel,
    access?: Access,
    refusesChoice: (resource: string) => boolean = () => false,
    keeps: readonly string[] = [],
    hasTrash = false,
  ) {
    this.model = model
    this.access = access
    this.refusesChoice = refusesChoice
    this.hasTrash = hasTrash
    this.state = emptyState(model, keeps)
    this.seen = this.state
    this.checking = { model, inPut: false, mayHide: new Set(), unfit: new Set() }
  }

  /** What one of the callers sees of everything that is stored. */
  seenBy(caller: number | undefined): State {
    const rights = this.rightsOf(caller)
    return rights === undefined ? this.state : seenState(rights, this.state)
  }

  private rightsOf(index: number | undefined): Rights | undefined {
    if (index === undefined || this.access === undefined) return undefined
    const caller = this.access.callers[index]
    if (caller === undefined) throw new Error(`there is no caller ${index}`)
    return rightsFor(this.model, this.access, caller, this.state)
  }

  send(request: Request): Answer {
    this.requests += 1
    this.written = undefined
    this.unsure = undefined
    this.rights = this.rightsOf(request.caller)
    this.seen = this.seenBy(request.caller)
    const { method, address } = request
    const mayHide = this.rights === undefined ? new Set<string>() : hiddenResources(this.rights)
    this.checking = { model: this.model, inPut: method === 'PUT', mayHide, unfit: new Set() }
    const { act } = request
    if (act !== undefined) return this.act({ ...request, act }, resourceAt(this.model, address))
    if (request.trash !== undefined) return this.inTrash(request, resourceAt(this.model, address))
    // These write all records that match a filter, which has to be there.
    if (address.id === undefined && (method === 'PATCH' || method === 'DELETE')) return INVALID(undefined)
    const resource = resourceAt(this.model, address)
    this.isAtTop = isAtTop(this.model, address)
    if (method === 'POST' && address.id !== undefined && this.refusesChoice(resource.key)) {
      return { status: 405, code: 'CRUD_ERR_METHOD', pointers: undefined }
    }
    const wrong: Pointers = new Set()
    const [body, given] = this.isAtTop ? ownersApart(resource, request.body) : [request.body, {}]
    if (request.link === undefined && (method === 'POST' || method === 'PUT' || method === 'PATCH')) {
      this.checkRequestBody(method, resource, address, body ?? null, wrong)
    }
    if (request.link !== undefined && method === 'PUT') {
      checkLinkBody(linkOf(resource, request.link.name), body, wrong)
    }
    const ids = [...address.owners.map(({ id }) => id), ...(address.id === undefined ? [] : [address.id])]
    const badPath = !ids.every(isPathId) || (method === 'POST' && !isChoosable(Number(address.id ?? 1)))
    const page = method === 'GET' && address.id === undefined ? pageOf(request.query) : undefined
    const badQuery = page === undefined && Object.keys(request.query).length > 0
    const { unfit } = this.checking
    if (wrong.size > 0 || badPath || badQuery) {
      return INVALID(badPath || badQuery ? undefined : new Set([...wrong, ...unfit]))
    }
    const notFound = unfit.size > 0 ? INVALID(unfit) : NOT_FOUND

    const id = address.id ?? (isObject(body) ? Number(own(body, 'id')) : 0)
    const at = this.isAtTop && page === undefined ? this.ownerAtTop(resource, method, Number(id), given) : undefined
    if (at !== undefined && 'status' in at) return at === NOT_FOUND ? notFound : at
    const place = at ?? findPlace(this.model, this.seen, address)
    if (place === undefined) return notFound
    if (page !== undefined) {
      const rows = this.rowsAt(place)
      const list = showList(this.model, this.seen, resource, rows, this.isAtTop, page.limit, page.offset)
      const isInOrder = place.through?.owns.order !== undefined
      return { status: 200, resource, isList: true, isInOrder, body: list }
    }
    if (method === 'POST') return this.create(place, address, body)
    const row = rowsOf(this.seen, resource.key).get(Number(id))
    // At the top of the service, any node of a tree is reached; below an owner, only its own records.
    if (row === undefined || (place.through !== undefined && !isAt(row, place))) return notFound
    if (request.link !== undefined) return this.writeLink(resource, row, method, request.link, body)
    if (method === 'GET') return { status: 200, resource, isList: false, body: this.show(this.seen, resource, row) }
    if (method === 'DELETE') return this.delete(place, row)
    return this.change(resource, row, body, method === 'PUT' ? 'replace' : 'patch')
  }

  /** An action is one write, whatever it writes. What it does is what requests to the same path do. */
  private act({ act, ...request }: Request & { readonly act: ActName }, resource: RefResource): Answer {
    const { address, query, body, caller } = request
    this.isAtTop = isAtTop(this.model, address)
    const ids = [...address.owners.map(({ id }) => id), ...(address.id === undefined ? [] : [address.id])]
    const isBad = Object.keys(query).length > 0 || !fitsAction(this.model, resource, act, body)
    if (isBad || !ids.every(isPathId)) return INVALID(undefined)
    const place = findPlace(this.model, this.seen, address)
    if (place === undefined) return NOT_FOUND
    if (act === 'count') return { status: 200, value: this.rowsAt(place).length }
    const id = Number(address.id)
    const row = rowsOf(this.seen, resource.key).get(id)
    if (row === undefined || (place.through !== undefined && !isAt(row, place))) return NOT_FOUND
    if (!this.mayAct(act, resource, row)) return FORBIDDEN
    if (act === 'refuse') return REFUSED
    const before = this.state
    const writes = act === 'amend' ? bodiesIn(body).map((one) => ({ method: 'PATCH' as const, body: one })) : []
    const removal = act === 'remove' ? [{ method: 'DELETE' as const, body: undefined }] : []
    for (const write of [...writes, ...removal]) {
      const answer = this.send({ ...write, address, query: {}, caller })
      if (!('code' in answer)) continue
      this.state = before
      this.written = undefined
      return { ...answer, pointers: undefined }
    }
    const stored = rowsOf(this.seenBy(caller), resource.key).get(id)
    return stored === undefined ? { status: 204 } : this.showWritten(200, resource, id)
  }

  private mayAct(act: keyof typeof ASKED, resource: RefResource, row: Row): boolean {
    const asks = ASKED[act]
    if (this.rights === undefined || asks === 'View') return true
    return mayWrite(this.rights, this.state, resource, asks === 'Edit' ? 'EditBefore' : asks, row)
  }

  /** A request about deleted records: their list, one of them, and to bring one back or remove it for good. */
  private inTrash({ method, address, query, body, trash }: Request, resource: RefResource): Answer {
    this.isAtTop = isAtTop(this.model, address)
    const ids = [...address.owners.map(({ id }) => id), ...(address.id === undefined ? [] : [address.id])]
    const page = trash === '$deleted' && address.id === undefined ? pageOf(query) : undefined
    const isBadQuery = page === undefined && Object.keys(query).length > 0
    const isBadBody = body !== undefined && !isDeepStrictEqual(body, {})
    if (isBadQuery || isBadBody || !ids.every(isPathId)) return INVALID(undefined)
    if (page !== undefined) return this.listDeleted(resource, address, page)
    const row = this.state.deleted.get(resource.key)?.get(Number(address.id))
    // Who sees the record sees its owners, or needs no policy for that: they may be deleted, too.
    const place = row && findPlace(this.model, withDeleted(this.state), address)
    if (place === undefined || row === undefined || (place.through !== undefined && !isAt(row, place))) return NOT_FOUND
    const isFound = findsDeleted(this.state, resource, row, this.rights)
    if (isFound !== true) return isFound === 'forbidden' ? FORBIDDEN : NOT_FOUND
    if (trash === '$restore') return this.restore(resource, row)
    if (method === 'DELETE') return this.purge(resource, row)
    const shown = this.show(seenBesides(this.state, row, this.rights), resource, row)
    return { status: 200, resource, isList: false, moments: [row.moment], body: shown }
  }

  private listDeleted(resource: RefResource, address: Address, { limit, offset }: Page): Answer {
    const place = findPlace(this.model, this.seen, address)
    if (place === undefined) return NOT_FOUND
    const all = deletedOf(this.state, resource.key).filter((row) => {
      return (this.isAtTop || isAt(row, place)) && findsDeleted(this.state, resource, row, this.rights) === true
    })
    const sorted = byId(all).sort((one, other) => other.moment - one.moment)
    const page = sorted.slice(offset, offset + limit)
    const rows = page.map((row) => this.show(seenBesides(this.state, row, this.rights), resource, row))
    const body = { rows, count: all.length, ...(offset + limit < all.length && { next: '' }) }
    return { status: 200, resource, isList: true, moments: page.map(({ moment }) => moment), body }
  }

  private restore(resource: RefResource, row: DeletedRow): Answer {
    const { model, state } = this
    const place = this.placeOf(resource, row)
    const { through } = place
    const owner = this.ownerIn(place)
    if (owner !== undefined && !rowsOf(state, owner.resource.key).has(owner.id)) return REFUSED
    if (through?.owns.many === false && childrenOf(state, through.owner, through.owns).length > 0) return EXISTS
    const write = startWrite(this.checking, state, this.seen, owner)
    const all = deletedTree(model, state, resource, row, ({ moment }) => moment === row.moment)
    for (const one of all) bringBack(write.state, one)
    for (const one of all) {
      for (const reference of one.resource.references) {
        const id = one.row.values[reference.foreignKey]
        if (typeof id !== 'number' || rowsOf(write.state, reference.target).has(id)) continue
        if (reference.needs) return REFUSED
        const copy = rowsOf(write.state, one.resource.key).get(one.row.id)
        if (copy !== undefined) copy.values[reference.foreignKey] = null
      }
    }
    const refusal = this.finish(write)
    if (refusal !== undefined) return { ...refusal, pointers: undefined }
    const unsure = unsureArray(state, resource, row, model)
    if (unsure !== undefined) {
      const learn = (ids: readonly number[]) => learnOrder(this.state, unsure, row.id, ids)
      this.unsure = { ...unsure, learn }
    }
    return this.showWritten(200, resource, row.id)
  }

  private purge(resource: RefResource, row: DeletedRow): Answer {
    const { model, state, rights } = this
    const all = deletedTree(model, state, resource, row, () => true)
    const isForbidden = all.some((one) => {
      return rights !== undefined && !fulfils(rights, besides(state, one.row), one.resource, 'Delete', one.row)
    })
    if (isForbidden) return FORBIDDEN
    const write = startWrite(this.checking, state, this.seen)
    for (const one of all) write.state.deleted.get(one.resource.key)?.delete(one.row.id)
    const needing = needingDeleted(model, write.state, all)
    if (needing.length > 0) {
      const shown = needing.filter((one) => findsDeleted(state, one.resource, one.row, rights) !== false)
      return { ...STILL_NEEDED, needing: shown.length }
    }
    return this.finish(write) ?? { status: 204 }
  }

  /** Where a record stands, whether its owner is there or deleted. */
  private placeOf(resource: RefResource, { owner }: Row): Place {
    const by = resource.owners.find(({ name }) => name === owner?.relation)
    if (by === undefined || owner === undefined) return { resource, through: undefined }
    const source = resourceOf(this.model, by.target)
    const owns = source.owns.find((one) => one.target === resource.key && one.inverse === by.name)
    const { state } = this
    const row = rowsOf(state, source.key).get(owner.id) ?? state.deleted.get(source.key)?.get(owner.id)
    if (owns === undefined || row === undefined) throw new Error(`${resource.key} has lost its owner`)
    return { resource, through: { owns, owner: row } }
  }

  private checkRequestBody(method: Method, resource: RefResource, address: Address, body: Json, wrong: Pointers): void {
    const mode = method === 'POST' ? 'create' : method === 'PUT' ? 'replace' : 'patch'
    checkBody(this.checking, resource, body, mode, '', wrong)
    if (!isObject(body)) return
    const id = own(body, 'id')
    const isOther = id !== undefined && address.id !== undefined && String(id) !== String(address.id)
    const differs = isOther || (method !== 'POST' && address.id === undefined && id === undefined)
    if (differs) wrong.add('/id')
  }

  /** The owner of a record that a path without owners names, or that a POST there makes. `given`: the foreign keys in the body. */
  private ownerAtTop(resource: RefResource, method: Method, id: number, given: JsonObject): Place | Refusal {
    const isNew = method === 'POST'
    const row = rowsOf(this.seen, resource.key).get(id)
    if (!isNew && row === undefined) return NOT_FOUND
    const stored = Object.entries(row === undefined ? {} : showAtTop({}, resource, row))
    const [named, ...others] = isNew
      ? Object.entries(given).filter(([, value]) => value !== null)
      : stored.filter(([, value]) => value !== null)
    if (named === undefined || others.length > 0) return INVALID(undefined)
    const other = stored.filter(([name, value]) => Object.hasOwn(given, name) && given[name] !== value)
    if (!isNew && other.length > 0) return INVALID(new Set(other.map(([name]) => `/${name}`)))
    const [foreignKey, ownerId] = named
    const by = resource.owners.find((one) => one.foreignKey === foreignKey)
    const owner = rowsOf(this.seen, by?.target ?? '').get(Number(ownerId))
    if (by === undefined || owner === undefined) return UNKNOWN_REFERENCE(new Set([`/${foreignKey}`]))
    const owns = resourceOf(this.model, by.target).owns.find(
      (one) => one.target === resource.key && one.inverse === by.name,
    )
    if (owns === undefined) throw new Error(`${resource.key}.${by.name} has no other side`)
    return { resource, through: { owns, owner } }
  }

  /** The records that a path lists, in their order. */
  private rowsAt(place: Place): readonly Row[] {
    const { resource, through } = place
    const rows = [...rowsOf(this.seen, resource.key).values()].filter((row) => this.isAtTop || isAt(row, place))
    return inOrder(this.seen, through?.owns.order, through?.owner.id ?? 0, rows)
  }

  private show(state: State, resource: RefResource, row: Row, showsAll = false): JsonObject {
    const record = showRecord(this.model, state, resource, row, showsAll)
    return this.isAtTop ? showAtTop(record, resource, row) : record
  }

  /** Adds a link, or removes it. */
  private writeLink(
    resource: RefResource,
    row: Row,
    method: Method,
    { name, id }: NonNullable<Request['link']>,
    placed: Json | undefined,
  ): Answer {
    const link = linkOf(resource, name)
    const isSeen = rowsOf(this.seen, link.target).has(id)
    if (method === 'PUT' && !isSeen) return NOT_FOUND
    if (!this.may('EditBefore', resource, row)) return FORBIDDEN
    if (!isSeen) return { status: 204 }
    const write = startWrite(this.checking, this.state, this.seen)
    const copy = rowsOf(write.state, resource.key).get(row.id)
    const body = method === 'PUT' ? { [name]: [{ ...(isObject(placed) && placed), id }] } : {}
    if (copy !== undefined) writeRow(write, resource, copy, body, 'patch', '')
    if (method === 'DELETE') {
      const linked = linksOf(this.seen, link.table).filter((one) => one[link.from] === row.id)
      if (!linked.some((one) => one[link.to] === id)) return { status: 204 }
      if (link.needs && linked.length === 1) return STILL_NEEDED
      const kept = linksOf(write.state, link.table).filter((one) => one[link.from] !== row.id || one[link.to] !== id)
      write.state.links.set(link.table, kept)
    }
    const refusal = this.finish(write)
    return refusal === undefined ? { status: 204 } : { ...refusal, pointers: undefined }
  }

  private create(place: Place, address: Address, body: Json | undefined): Answer {
    const { resource, through } = place
    if (through !== undefined && !this.mayAddBelow(resource, through)) return FORBIDDEN
    const named = address.id ?? (isObject(body) ? own(body, 'id') : undefined)
    const id = named === undefined ? undefined : Number(named)
    const isIdTaken = id !== undefined && isTaken(this.state, resource.key, id)
    const owner: Owner | undefined = through && { relation: through.owns.inverse, id: through.owner.id }
    const isKept = isOwnersIdKept(this.state, resource, owner)
    const isPlaceTaken = through?.owns.many === false && childrenOf(this.state, through.owner, through.owns).length > 0
    const write = startWrite(this.checking, this.state, this.seen, this.ownerIn(place))
    if ((isIdTaken && !resource.isOwnersId) || isKept || isPlaceTaken) write.taken.add('')
    reserveIds(write, resource, body ?? null)
    const row = addRow(write.state, resource.key, owner, isIdTaken ? undefined : id)
    writeRow(write, resource, row, isObject(body) ? body : {}, 'create', '')
    return this.finish(write) ?? this.showWritten(201, resource, row.id)
  }

  /** Where a resource has no policy of its own, a new record takes the right to edit its owner. */
  private mayAddBelow(resource: RefResource, { owner, owns }: NonNullable<Place['through']>): boolean {
    const { rights } = this
    if (rights === undefined || hasPolicy(rights, resource)) return true
    const by = resource.owners.find(({ name }) => name === owns.inverse)
    return by === undefined || mayWrite(rights, this.state, resourceOf(this.model, by.target), 'EditBefore', owner)
  }

  private ownerIn({ resource, through }: Place): Write['pathOwner'] {
    const by = resource.owners.find(({ name }) => name === through?.owns.inverse)
    return through && by && { resource: resourceOf(this.model, by.target), id: through.owner.id }
  }

  private may(action: 'EditBefore' | 'Delete', resource: RefResource, row: Row): boolean {
    return this.rights === undefined || mayWrite(this.rights, this.state, resource, action, row)
  }

  private change(resource: RefResource, row: Row, body: Json | undefined, mode: 'replace' | 'patch'): Answer {
    if (!this.may('EditBefore', resource, row)) return FORBIDDEN
    const write = startWrite(this.checking, this.state, this.seen)
    reserveIds(write, resource, body ?? null)
    const copy = rowsOf(write.state, resource.key).get(row.id)
    if (copy !== undefined) writeRow(write, resource, copy, isObject(body) ? body : {}, mode, '')
    return this.finish(write) ?? this.showWritten(200, resource, row.id)
  }

  private delete(place: Place, row: Row): Answer {
    if (!this.may('Delete', place.resource, row)) return FORBIDDEN
    const write = startWrite(this.checking, this.state, this.seen, this.ownerIn(place))
    removeTree(this.model, write.state, place.resource, row)
    // An owned record that its owner may not be without goes with the owner only.
    return this.finish(write, place.through?.owns.required === true) ?? { status: 204 }
  }

  /** The refusal, if anything is wrong with a write; otherwise what it did takes the place of what was. */
  private finish(write: Write, isRequired = false): Refusal | undefined {
    const refusal = refusalOf(write, this.rights, isRequired)
    if (refusal !== undefined) return refusal
    this.state = write.state
    const deleted = [...this.state.deleted.values()].flatMap((rows) => [...rows.values()])
    const moments = [...deleted.map(({ moment }) => moment), ...this.state.arranged.values()]
    if (moments.some((moment) => moment > this.state.moment)) this.state.moment += 1
    return undefined
  }

  /** The record as the caller sees it after its write. */
  private showWritten(status: 200 | 201, resource: RefResource, id: number): Answer {
    const stored = rowsOf(this.state, resource.key).get(id)
    if (stored === undefined) throw new Error(`${resource.key} ${id} is not there`)
    this.written = { resource, body: this.show(this.state, resource, stored, true) }
    const seen = this.rights === undefined ? this.state : seenState(this.rights, this.state)
    const row = rowsOf(seen, resource.key).get(id)
    if (row === undefined) return { status }
    return { status, resource, isList: false, body: this.show(seen, resource, row) }
  }
}

function linkOf(resource: RefResource, name: string): RefLink {
  const link = resource.links.find((one) => one.name === name)
  if (link === undefined) throw new Error(`${resource.key} has no links ${name}`)
  return link
}

/** A body without the foreign keys of owners, and these. */
function ownersApart({ owners }: RefResource, body: Json | undefined): [Json | undefined, JsonObject] {
  if (!isObject(body)) return [body, {}]
  const isOwner = ([name]: [string, Json]): boolean => owners.some(({ foreignKey }) => foreignKey === name)
  const all = Object.entries(body)
  return [Object.fromEntries(all.filter((entry) => !isOwner(entry))), Object.fromEntries(all.filter(isOwner))]
}
