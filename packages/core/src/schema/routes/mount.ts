import { type CollectionPath, ownedPath, topPath } from '../../model/collection-path.ts'
import type { Model, Owns, Resource } from '../../model/model.ts'

/** A collection of a model, and the path that serves it. */
export interface Mount {
  readonly path: CollectionPath
  /** The collection's path after the prefix. The owners' ids are parameters: `/book/:book_id/chapter`. */
  readonly url: string
  /** The owners in the path, the topmost first. */
  readonly owners: readonly MountOwner[]
}

/** One owner in a path: `/book/:book_id/chapter` has one. */
export interface MountOwner {
  /** The relation through which it owns what follows in the path. */
  readonly owns: Owns
  /** The path parameter that holds the owner's id, e.g. `book_id`. */
  readonly param: string
}

/** All collections of a model with their paths: `/book`, `/book/:book_id/chapter`, … */
export function mountsOf(model: Model): Mount[] {
  const mounts: Mount[] = []
  for (const resource of model.resources.values()) {
    const top = () => ({ path: topPath(model, resource.key), url: `/${resource.route}`, owners: [] })
    if (resource.isRoot) addMounts(top(), mounts)
    // What its records own is reached below their owners, or has a route at the top of its own.
    else if (resource.isTopLevel) mounts.push(top())
  }
  return mounts
}

/** The path parameter that holds the id of an owner. */
export function ownerParam({ key }: Resource): string {
  return `${key}_id`
}

/** Adds a mount and all mounts below it. */
function addMounts(mount: Mount, mounts: Mount[]): void {
  mounts.push(mount)
  const { resource, relations } = mount.path
  // Children of a self-owned record are records of the same resource: their own path leads to what they own.
  if (relations.at(-1)?.source === resource) return
  const param = ownerParam(resource)
  for (const owns of resource.owns) {
    const path = ownedPath(mount.path, owns.name)
    addMounts(
      { path, url: `${mount.url}/:${param}/${owns.segment}`, owners: [...mount.owners, { owns, param }] },
      mounts,
    )
  }
}
