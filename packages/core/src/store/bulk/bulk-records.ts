import type { Address } from '../../model/address.ts'
import { namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { wholeId } from '../../model/ids/short-id.ts'
import type { UniqueKey } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { BulkCreate, BulkUpdate } from '../../writing/write-call.ts'
import type { BodyRead } from '../body-reader.ts'
import type { Asked } from '../types/asked.ts'
import type { BulkParts } from './bulk-parts.ts'

/** A body as the update of the record whose id it has. */
export function toUpdate(
  at: Address,
  operation: BulkUpdate['operation'],
  { draft, said, owner }: BodyRead,
): BulkUpdate {
  const id = wholeId(at.path.resource, draft.id as Id, owner?.id ?? at.owners.at(-1))
  return { operation, id, draft, said, by: undefined }
}

/** A body as the update of the record that was found to have its values of a key. */
export function toUpdateBy(by: UniqueKey, id: Id, { draft, said }: BodyRead): BulkUpdate {
  return { operation: 'replace', id, draft, said, by }
}

/** Bodies as new records. Owners that only the bodies name are looked up together, each once. */
export async function toCreates(
  { locateNew }: Pick<BulkParts, 'locateNew'>,
  at: Address,
  bodies: readonly BodyRead[],
  asked: Asked,
): Promise<readonly BulkCreate[]> {
  const owners = new Map<string, RecordOwner>()
  const known = bodies.map(({ owner }) => {
    if (owner === undefined || !namesNoOwner(at.path)) return undefined
    const key = JSON.stringify([owner.by.name, owner.id])
    const same = owners.get(key) ?? owner
    owners.set(key, same)
    return same
  })
  const located = owners.size === 0 ? undefined : await locateNew(at, [...owners.values()], asked)
  return bodies.map(({ draft }, index) => {
    const owner = known[index]
    return { operation: 'create', at: (owner && located?.get(owner)) ?? at, draft }
  })
}
