import { notFound, type Refusal, unknownReference } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { resourcesInAddress } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { noSuchRecord } from '../planning/body/faults.ts'
import { pointerTo } from '../planning/body/pointer.ts'
import type { RecordOwner } from '../planning/rows.ts'
import type { RowOwner } from '../rules/rows/tree.ts'

/** The owner of the records at an address, as far as the address tells. */
export function ownerAt(at: Address): RowOwner {
  return ownerInPath(at) ?? ownerAtTop(at.path.resource)
}

/** The owner that the path names; undefined if it names none. */
export function ownerInPath({ path, owners }: Address): RecordOwner | undefined {
  const owns = path.relations.at(-1)
  return owns && { by: owns.inverse, id: owners.at(-1) as Id }
}

/** The owner of a record that a path begins with: there is none, or nobody knows it where such records may have one. */
export function ownerAtTop({ ownedBy }: Resource): RowOwner {
  return ownedBy.length === 0 ? null : undefined
}

/** Why nothing is done at an address: one of its owners is not there. The path has named it, or else the body, in the record at the pointer. */
export function ownerNotFound({ path, owners }: Address, pointer = ''): Refusal {
  const owner = ownerInPath({ path, owners })
  if (path.isTopLevel && owner !== undefined) {
    const { foreignKey, target } = owner.by
    return unknownReference([{ pointer: pointerTo(pointer, foreignKey), ...noSuchRecord(target, owner.id) }])
  }
  const { key } = resourcesInAddress(path).at(-1) ?? path.resource
  return notFound(key, owners.at(-1) ?? '')
}
