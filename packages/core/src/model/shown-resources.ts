import type { Resource } from './model.ts'
import { ownedTree } from './owned-tree.ts'

/** The resources whose records a record of a resource shows: those that it owns, and those that any of them needs or knows. */
export function shownResources(resource: Resource): readonly Resource[] {
  const shown = new Set<Resource>()
  for (const owner of ownedTree(resource)) {
    for (const { target } of [...owner.owns, ...owner.references, ...owner.links]) shown.add(target)
  }
  return [...shown]
}
