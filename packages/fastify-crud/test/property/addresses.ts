import type { JsonObject } from './json.ts'
import { type RefModel, type RefOwns, type RefResource, resourceOf } from './reference-model.ts'
import type { Address } from './reference-path.ts'
import { childrenOf, type Owner, type Row, rowsOf, type State } from './reference-store.ts'

/** Where records of a resource are listed and made. */
export interface Collection {
  readonly resource: RefResource
  readonly address: Address
  /** The one place of an `owns.one`, and it is taken. */
  readonly isTaken: boolean
  /** The foreign key with which a body names the owner, in the path of all owners' records. */
  readonly owner: JsonObject
  /** The owner itself. */
  readonly by: Owner | undefined
}

/** All collections of a resource: the one at the top, or those of its owners. */
export function collectionsOf(model: RefModel, state: State, resource: RefResource): Collection[] {
  const top: Address = { owners: [], segment: resource.route, id: undefined }
  const found: Collection[] = resource.isRoot
    ? [{ resource, address: top, isTaken: false, owner: {}, by: undefined }]
    : []
  for (const { target, name, foreignKey } of resource.owners) {
    const owner = resourceOf(model, target)
    const owns = owner.owns.find((one) => one.target === resource.key && one.inverse === name)
    if (owns === undefined) throw new Error(`${resource.key}.${name} has no other side`)
    for (const row of rowsOf(state, target).values()) {
      const address = below(plainAddress(model, owner, row, state), owns)
      const isTaken = !owns.many && childrenOf(state, row, owns).length > 0
      found.push({ resource, address, isTaken, owner: { [foreignKey]: row.id }, by: { relation: name, id: row.id } })
    }
  }
  return found
}

/** The paths of a record: its own, and for a node of a tree, or with `topLevel`, also the one below its owner. */
export function addressesOf(model: RefModel, state: State, resource: RefResource, row: Row): Address[] {
  const isDirect = resource.isRoot || resource.isTop
  const direct: Address[] = isDirect ? [{ owners: [], segment: resource.route, id: row.id }] : []
  return row.owner === undefined ? direct : [...direct, nestedAddress(model, resource, row, state)]
}

/** Owners that are nodes of a tree are named at the top. */
function plainAddress(model: RefModel, resource: RefResource, row: Row, state: State): Address {
  if (resource.isRoot) return { owners: [], segment: resource.route, id: row.id }
  return nestedAddress(model, resource, row, state)
}

function nestedAddress(model: RefModel, resource: RefResource, row: Row, state: State): Address {
  const relation = resource.owners.find(({ name }) => name === row.owner?.relation)
  const owner = resourceOf(model, relation?.target ?? '')
  const owns = owner.owns.find((one) => one.target === resource.key && one.inverse === relation?.name)
  const ownerRow = rowsOf(state, owner.key).get(row.owner?.id ?? 0)
  if (owns === undefined || ownerRow === undefined) throw new Error(`${resource.key} ${row.id} has no owner`)
  return { ...below(plainAddress(model, owner, ownerRow, state), owns), id: row.id }
}

function below({ owners, segment, id }: Address, owns: RefOwns): Address {
  return { owners: [...owners, { segment, id: id ?? 0 }], segment: owns.segment, id: undefined }
}
