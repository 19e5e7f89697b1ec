import { type RefModel, type RefOwns, type RefResource, resourceOf } from './reference-model.ts'
import { type Row, rowsOf, type State } from './reference-store.ts'

/** A path: the owners from the outermost one, then the collection or record that is meant. */
export interface Address {
  readonly owners: readonly { readonly segment: string; readonly id: PathId }[]
  readonly segment: string
  readonly id: PathId | undefined
}

/** A record's id, or text in the place of one. */
export type PathId = number | string

/** The resource that a path names; throws if no route is there, which no request of a test should try. */
export function resourceAt(model: RefModel, { owners, segment }: Pick<Address, 'owners' | 'segment'>): RefResource {
  const [first = segment, ...rest] = [...owners.map((owner) => owner.segment), segment]
  return rest.reduce((resource, next) => resourceOf(model, ownsAt(resource, next).target), rootAt(model, first))
}

export function rootAt(model: RefModel, segment: string): RefResource {
  const root = [...model.resources.values()].find(({ isRoot, isTop, route }) => (isRoot || isTop) && route === segment)
  if (root === undefined) throw new Error(`no route ${segment}`)
  return root
}

/** Where a path leads: the resource, and the owner that it goes through. */
export interface Place {
  readonly resource: RefResource
  readonly through: { readonly owns: RefOwns; readonly owner: Row } | undefined
}

/** Walks down the path's owners; `undefined` if one of them is not there. */
export function findPlace(model: RefModel, seen: State, address: Address): Place | undefined {
  const { owners } = address
  let place: Place = { resource: rootAt(model, (owners[0] ?? address).segment), through: undefined }
  for (const [index, { id }] of owners.entries()) {
    const owner = rowsOf(seen, place.resource.key).get(Number(id))
    if (owner === undefined || (place.through !== undefined && !isAt(owner, place))) return undefined
    const owns = ownsAt(place.resource, owners[index + 1]?.segment ?? address.segment)
    place = { resource: resourceOf(model, owns.target), through: { owns, owner } }
  }
  return place
}

/** Whether a record is one of those that a collection lists: the owner's, or the ones without an owner. */
export function isAt(row: Row, { through }: Place): boolean {
  if (through === undefined) return row.owner === undefined
  return row.owner?.relation === through.owns.inverse && row.owner.id === through.owner.id
}

/** Whether it is the path of records with owners that does not name these. */
export function isAtTop(model: RefModel, address: Pick<Address, 'owners' | 'segment'>): boolean {
  return address.owners.length === 0 && resourceAt(model, address).isTop
}

export function ownsAt(resource: RefResource, segment: string): RefOwns {
  const owns = resource.owns.find((one) => one.segment === segment)
  if (owns === undefined) throw new Error(`${resource.key} owns nothing at ${segment}`)
  return owns
}

export function isPathId(id: PathId): boolean {
  return /^(0|-?[1-9]\d*)$/.test(String(id))
}

/** A part of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The part of a list that a query asks for; undefined if it is not valid. */
export function pageOf(query: Readonly<Record<string, string>>): Page | undefined {
  const { limit = '20', offset = '0', ...others } = query
  const good = isPathId(limit) && isPathId(offset) && Number(offset) >= 0 && Number(limit) >= 1 && Number(limit) <= 100
  return good && Object.keys(others).length === 0 ? { limit: Number(limit), offset: Number(offset) } : undefined
}
