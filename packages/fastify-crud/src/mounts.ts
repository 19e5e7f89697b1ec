import { type Model, ownedPlace, type Place, topPlace } from '@fastify-crud/core'

/** A place with the path it is served at. */
export interface Mount {
  readonly place: Place
  /** The path of the collection, after the prefix, with the owners' ids as parameters. */
  readonly url: string
  /** The parameters that hold the owners' ids, the topmost first. */
  readonly ownerParams: readonly string[]
}

/** Every place of a model with its path: `/book`, `/book/:book_id/chapter`, … */
export function mountsOf(model: Model): Mount[] {
  const mounts: Mount[] = []
  for (const resource of model.resources.values()) {
    if (!resource.isRoot) continue
    mountBelow({ place: topPlace(model, resource.key), url: `/${resource.route}`, ownerParams: [] }, mounts)
  }
  return mounts
}

function mountBelow(mount: Mount, mounts: Mount[]): void {
  mounts.push(mount)
  const { resource, path } = mount.place
  // The children of a self-owned record are such records themselves: their own path leads to what is below them.
  if (path.at(-1)?.source === resource) return
  const param = `${resource.key}_id`
  for (const owns of resource.owns) {
    const url = `${mount.url}/:${param}/${owns.segment}`
    mountBelow({ place: ownedPlace(mount.place, owns.name), url, ownerParams: [...mount.ownerParams, param] }, mounts)
  }
}
