import type { Resource } from './model.ts'

/** A resource and all that its records may own, at any depth. */
export function ownedTree(resource: Resource): readonly Resource[] {
  const found = new Set([resource])
  // A set grows while it is walked: every owned resource is visited once, also where a resource owns itself.
  for (const owner of found) for (const owns of owner.owns) found.add(owns.target)
  return [...found]
}
