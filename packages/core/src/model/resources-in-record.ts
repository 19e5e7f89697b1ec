import type { Link, Owns, Reference, Resource } from './model.ts'

/** The resources whose records a request is about. A resource may be in both lists. */
export interface ResourcesInRecord {
  /** Its own, and those of what it owns, at any depth. */
  readonly owned: readonly Resource[]
  /** Those that any of them needs or knows. */
  readonly related: readonly Resource[]
}

/** The resources whose records a record shows by default, and those of other relations (`besides`). */
export function resourcesInRecord(
  resource: Resource,
  besides: (relation: Owns | Reference | Link) => boolean = none,
): ResourcesInRecord {
  const isShown = (relation: Owns | Reference | Link) => relation.carried || besides(relation)
  const owned = new Set([resource])
  // A set grows while it is walked: every owned resource is visited once, also where a resource owns itself.
  for (const owner of owned) for (const owns of owner.owns.filter(isShown)) owned.add(owns.target)
  const related = new Set<Resource>()
  for (const { references, links } of owned) {
    for (const { target } of [...references, ...links].filter(isShown)) related.add(target)
  }
  return { owned: [...owned], related: [...related] }
}

const none = (): boolean => false
