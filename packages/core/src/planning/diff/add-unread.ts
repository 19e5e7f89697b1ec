import { hidesSome, mayHideOwned, type Rights } from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Owns, Resource } from '../../model/model.ts'
import { ownedTree } from '../../model/resource-tree.ts'
import { isNew, type RecordData, visitOwned } from '../rows.ts'
import { type Insert, type Removed, removeBelow, removedOf } from './changes.ts'
import { type Diff, placeIsTaken } from './diff.ts'
import { concernsBelow, noteBelow } from './move.ts'

/**
 * Whether what was not read of a record can make a difference: what the caller may not see, and what removed records
 * own and do not carry by default; and of moved records, all that they own. Then {@link addUnread} may have something
 * to add.
 */
export function concernsUnread({ changes }: Diff, rights: Rights | undefined): boolean {
  if (removesUnread({ changes })) return true
  if (changes.moved !== undefined && concernsBelow(changes.moved, (one) => rights?.rules.has(one) === true)) return true
  if (rights === undefined) return false
  const takesPlace = ({ resource, owner }: Insert) =>
    owner !== undefined && !isNew(owner.id) && !owner.by.inverse.many && hidesSome(rights, resource)
  return changes.removed.some(({ resource }) => mayHideOwned(rights, resource)) || changes.inserts.some(takesPlace)
}

/** Whether records are removed that may own what they do not carry by default. */
export function removesUnread({ changes }: Pick<Diff, 'changes'>): boolean {
  return changes.removed.some(mayOwnMore)
}

function mayOwnMore({ resource }: Removed): boolean {
  return !resource.carriesAll && ownedTree(resource).some(({ owns }) => owns.some(({ carried }) => !carried))
}

/**
 * Adds to a diff what follows from owned records that were not read: they are removed with a record that owns them, and
 * those that the caller may not see keep a one-to-one place. `stored` has the ids of the record and of all that it
 * owns.
 */
export function addUnread(diff: Diff, resource: Resource, stored: RecordData): void {
  const { changes } = diff
  for (const move of changes.moved ?? []) {
    if (move.resource === resource && move.id === stored.id) noteBelow(move, stored)
  }
  visitOwned(resource, stored, (owns, child, owner) => {
    const pointer = removedOf(changes, owns.target)?.get(child.id)
    if (pointer !== undefined) removeBelow(owns.target, child, pointer, changes)
    else if (!owns.many) refuseSecond(diff, owns, owner.id)
    return pointer === undefined
  })
}

/** The place is taken by a record that the caller does not see, or else there would be nothing to insert. */
function refuseSecond({ changes, taken }: Diff, owns: Owns, owner: Id): void {
  for (const { owner: place, pointer } of changes.inserts) {
    if (place?.by !== owns.inverse || isNew(place.id) || place.id !== owner) continue
    taken.push(placeIsTaken(owns, pointer))
  }
}
