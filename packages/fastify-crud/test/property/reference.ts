import { isObject, type Json, own } from './json.ts'
import { type Answer, EXISTS, INVALID, type Method, NOT_FOUND, type Request, STILL_NEEDED } from './reference-answer.ts'
import { checkBody, type Pointers } from './reference-check.ts'
import { type RefModel, type RefOwns, type RefResource, resourceOf } from './reference-model.ts'
import { type Address, ownsAt, type PathId, resourceAt, rootAt } from './reference-path.ts'
import { showList, showRecord } from './reference-read.ts'
import { exchanges, settle } from './reference-settle.ts'
import {
  addRow,
  childrenOf,
  emptyState,
  type Owner,
  type Row,
  removeTree,
  rowsOf,
  type State,
} from './reference-store.ts'
import { findUnknown, placeKey, startWrite, type Write, writeRow } from './reference-write.ts'

/** The highest id that a record can be made under. */
const MAX_ID = 2 ** 31 - 1

/** Where a path leads: the resource, and the owner that it goes through. */
interface CollectionPath {
  readonly resource: RefResource
  readonly through: { readonly owns: RefOwns; readonly owner: Row } | undefined
}

/**
 * The documented service in memory, as plainly as it can be written: every write works on a copy of everything, which
 * takes the place of the stored state if nothing was wrong.
 */
export class Reference {
  readonly model: RefModel
  state: State
  /** The last write may be refused as not unique as well: see `exchanges`. */
  mayBeRefused = false

  constructor(model: RefModel) {
    this.model = model
    this.state = emptyState(model)
  }

  send(request: Request): Answer {
    this.mayBeRefused = false
    const { method, address, body } = request
    if (address.id === undefined && (method === 'PATCH' || method === 'DELETE')) {
      return { status: 405, code: 'CRUD_ERR_METHOD', pointers: undefined }
    }
    const resource = resourceAt(this.model, address)
    const wrong: Pointers = new Set()
    if (method === 'POST' || method === 'PUT' || method === 'PATCH') {
      this.checkRequestBody(method, resource, address, body ?? null, wrong)
    }
    const ids = [...address.owners.map(({ id }) => id), ...(address.id === undefined ? [] : [address.id])]
    const badPath = !ids.every(isPathId) || (method === 'POST' && Number(address.id ?? 1) > MAX_ID)
    const page = method === 'GET' && address.id === undefined ? pageOf(request.query) : undefined
    const badQuery = page === undefined && Object.keys(request.query).length > 0
    if (wrong.size > 0 || badPath || badQuery) return INVALID(badPath || badQuery ? undefined : wrong)

    const place = this.find(address)
    if (place === undefined) return NOT_FOUND
    if (page !== undefined) {
      const belongs = (row: Row): boolean => isAt(row, place)
      const list = showList(this.model, this.state, resource, belongs, page.limit, page.offset)
      return { status: 200, resource, isList: true, body: list }
    }
    if (method === 'POST') return this.create(place, address, body)
    const id = address.id ?? (isObject(body) ? Number(own(body, 'id')) : 0)
    const row = rowsOf(this.state, resource.key).get(Number(id))
    // At the top of the service, any node of a tree is reached; below an owner, only its own records.
    if (row === undefined || (place.through !== undefined && !isAt(row, place))) return NOT_FOUND
    if (method === 'GET') return this.show(200, resource, row)
    if (method === 'DELETE') return this.delete(place, row)
    return this.change(resource, row, body, method === 'PUT' ? 'replace' : 'patch')
  }

  private checkRequestBody(method: Method, resource: RefResource, address: Address, body: Json, wrong: Pointers): void {
    checkBody(
      this.model,
      resource,
      body,
      method === 'POST' ? 'create' : method === 'PUT' ? 'replace' : 'patch',
      '',
      wrong,
    )
    if (method === 'POST' || !isObject(body)) return
    const id = own(body, 'id')
    const differs = address.id === undefined ? id === undefined : id !== undefined && String(id) !== String(address.id)
    if (differs) wrong.add('/id')
  }

  /** Walks down the path's owners; `undefined` if one of them is not there. */
  private find(address: Address): CollectionPath | undefined {
    const { owners } = address
    let place: CollectionPath = { resource: rootAt(this.model, (owners[0] ?? address).segment), through: undefined }
    for (const [index, { id }] of owners.entries()) {
      const owner = rowsOf(this.state, place.resource.key).get(Number(id))
      if (owner === undefined || (place.through !== undefined && !isAt(owner, place))) return undefined
      const owns = ownsAt(place.resource, owners[index + 1]?.segment ?? address.segment)
      place = { resource: resourceOf(this.model, owns.target), through: { owns, owner } }
    }
    return place
  }

  private create(place: CollectionPath, address: Address, body: Json | undefined): Answer {
    const { resource, through } = place
    const id = address.id === undefined ? undefined : Number(address.id)
    if (id !== undefined && rowsOf(this.state, resource.key).has(id)) return EXISTS
    if (through?.owns.many === false && childrenOf(this.state, through.owner, through.owns).length > 0) return EXISTS
    const write = startWrite(this.model, this.state)
    const owner: Owner | undefined = through && { relation: through.owns.inverse, id: through.owner.id }
    const row = addRow(write.state, resource.key, owner, id)
    writeRow(write, resource, row, isObject(body) ? body : {}, 'create', '')
    return this.finish(write) ?? this.show(201, resource, row)
  }

  private change(resource: RefResource, row: Row, body: Json | undefined, mode: 'replace' | 'patch'): Answer {
    const write = startWrite(this.model, this.state)
    const copy = rowsOf(write.state, resource.key).get(row.id)
    if (copy !== undefined) writeRow(write, resource, copy, isObject(body) ? body : {}, mode, '')
    return this.finish(write) ?? this.show(200, resource, row)
  }

  private delete(place: CollectionPath, row: Row): Answer {
    // An owned record that its owner may not be without goes with the owner only.
    if (place.through?.owns.required === true) return STILL_NEEDED
    const write = startWrite(this.model, this.state)
    removeTree(this.model, write.state, place.resource, row)
    return this.finish(write) ?? { status: 204 }
  }

  /** The refusal, if anything is wrong with a write; otherwise what it did takes the place of what was. */
  private finish(write: Write): Answer | undefined {
    if (write.wrong.size > 0) return INVALID(write.wrong)
    findUnknown(write)
    if (write.unknown.size > 0) {
      return { status: 400, code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: write.unknown }
    }
    const { stillNeeded, sharing } = settle(this.model, write.state)
    if (stillNeeded) return STILL_NEEDED
    if (sharing.length > 0) {
      const places = sharing.flatMap(({ resource, id, properties }) => {
        const place = write.places.get(placeKey(resource, id))
        if (place === undefined) return []
        return [{ at: place.at, holds: place.isNew || properties.some((name) => Object.hasOwn(place.body, name)) }]
      })
      const pointers = new Set(places.flatMap(({ at, holds }) => (holds ? [at] : [])))
      return { status: 409, code: 'CRUD_ERR_NOT_UNIQUE', pointers, others: new Set(places.map(({ at }) => at)) }
    }
    this.mayBeRefused = exchanges(this.model, this.state, write.state)
    this.state = write.state
    return undefined
  }

  private show(status: 200 | 201, resource: RefResource, row: Row): Answer {
    const stored = rowsOf(this.state, resource.key).get(row.id) ?? row
    return { status, resource, isList: false, body: showRecord(this.model, this.state, resource, stored) }
  }
}

/** Whether a record is one of those that a collection lists: the owner's, or the ones without an owner. */
function isAt(row: Row, { through }: CollectionPath): boolean {
  if (through === undefined) return row.owner === undefined
  return row.owner?.relation === through.owns.inverse && row.owner.id === through.owner.id
}

function isPathId(id: PathId): boolean {
  return /^(0|[1-9]\d*)$/.test(String(id))
}

function pageOf(query: Readonly<Record<string, string>>): { limit: number; offset: number } | undefined {
  const { limit = '20', offset = '0', ...others } = query
  const good = isPathId(limit) && isPathId(offset) && Number(limit) >= 1 && Number(limit) <= 100
  return good && Object.keys(others).length === 0 ? { limit: Number(limit), offset: Number(offset) } : undefined
}
