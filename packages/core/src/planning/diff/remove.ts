import type { Owns, Resource } from '../../model/model.ts'
import type { RecordData } from '../rows.ts'
import { type Changes, type OwnerKind, type Removed, removedFrom } from './changes.ts'

/** Adds a record and all that it owns, at any depth, to the removed records. Does not recurse: a tree may be deep. */
export function remove(
  resource: Resource,
  record: RecordData,
  owner: OwnerKind,
  pointer: string,
  changes: Changes,
): void {
  const removed = removedWith(resource, changes)
  removed.pointers.set(record.id, pointer)
  removed.owners.add(owner)
  removeBelow(resource, record, pointer, changes)
}

/** Adds all that a record owns, as far as it is known: `addUnread` adds what was not read. */
export function removeBelow(resource: Resource, record: RecordData, pointer: string, changes: Changes): void {
  const open: [Resource, RecordData][] = [[resource, record]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, owner] = next
    for (let position = 0; position < of.owns.length; position++) {
      const { name, target } = of.owns[position] as Owns
      const owned = owner[name] as RecordData | readonly RecordData[] | null | undefined
      const children = [owned ?? []].flat() as readonly RecordData[]
      if (children.length === 0) continue
      const removed = removedWith(target, changes)
      for (const child of children) {
        removed.pointers.set(child.id, pointer)
        removed.withOwner.add(child.id)
        removed.owners.add(of)
        open.push([target, child])
      }
    }
  }
}

/** The removed records of a resource. */
function removedWith(resource: Resource, changes: Changes): Removed {
  let found = removedFrom(changes, resource)
  if (found === undefined) {
    found = { resource, pointers: new Map(), withOwner: new Set(), owners: new Set() }
    changes.removed.push(found)
  }
  return found
}
