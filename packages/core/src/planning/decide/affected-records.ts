import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { InvisibleResources } from '../body/draft.ts'
import type { Changes, OwnerKind, Removed } from '../diff/changes.ts'
import { isNew } from '../rows.ts'
import { isShared } from './planned-actions.ts'

/**
 * How many records changes add, change or remove. A record whose links change is changed. One whose foreign key or link goes because
 * its target is deleted does not count, and neither does what the caller may not see.
 */
export function affectedRecords(changes: Changes, hidden: InvisibleResources): number {
  const changed = new Map<Resource, Set<Id>>()
  const change = (resource: Resource, id: Id): void => {
    const ids = changed.get(resource) ?? new Set()
    changed.set(resource, ids.add(id))
  }
  for (const { resource, id } of changes.updates) change(resource, id)
  for (const { link, from, to } of [...changes.linked, ...changes.unlinked]) {
    if (!isNew(from)) change(link.source, from)
    if (isShared(link) && !hidden.has(link.target)) change(link.target, to)
  }
  let count = changes.inserts.length
  for (const ids of changed.values()) count += ids.size
  for (const { pointers } of visibleRemovals(changes.removed, hidden)) count += pointers.size
  return count
}

/** Without those of hidden resources, and those below them. Owners come before what they own. The request's own record always counts. */
function visibleRemovals(removed: readonly Removed[], hidden: InvisibleResources): readonly Removed[] {
  const unseen = new Set<OwnerKind>(hidden)
  return removed.filter(({ resource, owners }) => {
    if (owners.has('addressed')) return true
    const isSeen = !unseen.has(resource) && ![...owners].every((owner) => unseen.has(owner))
    if (!isSeen) unseen.add(resource)
    return isSeen
  })
}
