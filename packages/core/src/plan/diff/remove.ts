import type { Owns, Resource } from '../../model/model.ts'
import type { RecordData } from '../record-data.ts'
import { type Changes, type OwnerKind, removedFrom } from './changes.ts'

/** Adds a record and all that it owns, at any depth, to the removed records. Does not recurse: a tree may be deep. */
export function remove(
  resource: Resource,
  record: RecordData,
  owner: OwnerKind,
  pointer: string,
  changes: Changes,
): void {
  const open: Owned[] = []
  removeOne(resource, record, owner, pointer, changes, open)
  for (let next = open.pop(); next !== undefined; next = open.pop()) removeOne(...next, pointer, changes, open)
}

type Owned = readonly [Resource, RecordData, OwnerKind]

/** Adds one record, and queues what it owns. */
function removeOne(
  resource: Resource,
  record: RecordData,
  owner: OwnerKind,
  pointer: string,
  changes: Changes,
  open: Owned[],
): void {
  let removed = removedFrom(changes, resource)
  if (removed === undefined) {
    removed = { resource, pointers: new Map(), owners: new Set() }
    changes.removed.push(removed)
  }
  removed.pointers.set(record.id, pointer)
  removed.owners.add(owner)
  for (let position = 0; position < resource.owns.length; position++) {
    const { name, target } = resource.owns[position] as Owns
    const owned = record[name] as RecordData | readonly RecordData[] | null
    if (owned === null) continue
    if (Array.isArray(owned)) for (const child of owned as readonly RecordData[]) open.push([target, child, resource])
    else open.push([target, owned as RecordData, resource])
  }
}
