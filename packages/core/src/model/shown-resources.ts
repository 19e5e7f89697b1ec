import type { Resource } from './model.ts'
import { ownedTree } from './owned-tree.ts'

/** The resources whose records a record shows. A resource may be in both lists. */
export interface ShownResources {
  /** Its own, and those of what it owns, at any depth. */
  readonly owned: readonly Resource[]
  /** Those that any of them needs or knows. */
  readonly related: readonly Resource[]
}

export function shownResources(resource: Resource): ShownResources {
  const owned = ownedTree(resource)
  const related = new Set<Resource>()
  for (const { references, links } of owned) for (const { target } of [...references, ...links]) related.add(target)
  return { owned, related: [...related] }
}
