import { withArticle } from '../errors.ts'
import type { Model, Owns, Resource } from './model.ts'
import { resourceOf } from './model.ts'

/**
 * The path of a collection in the model: a resource at the top, or a relation below the place of its owner. A place names
 * relations only. The owners' ids come with each request: see `Address`.
 */
export interface Place {
  /** The resource of the collection's records. */
  readonly resource: Resource
  /** The relations from the topmost owner down to these records; empty at the top. */
  readonly path: readonly Owns[]
}

const tops = new WeakMap<Resource, Place>()
const below = new WeakMap<Place, Map<Owns, Place>>()

/** The place of a resource's records that have no owner. Equal places are one object: statements are kept for each place. */
export function topPlace(model: Model, key: string): Place {
  const resource = resourceOf(model, key)
  if (!resource.isRoot)
    throw new TypeError(
      `${withArticle(key)} is addressed through its owner, ${resource.ownedBy.map((owner) => owner.target.key).join(' or ')}`,
    )
  const known = tops.get(resource)
  if (known !== undefined) return known
  const place = { resource, path: [] }
  tops.set(resource, place)
  return place
}

/** The place of what the records at `place` own through a relation. Here, too, equal places are one object. */
export function ownedPlace(place: Place, relation: string): Place {
  const owns = place.resource.owns.find((one) => one.name === relation)
  if (owns === undefined) throw new TypeError(`${withArticle(place.resource.key)} owns nothing through '${relation}'`)
  const owned = below.get(place) ?? new Map<Owns, Place>()
  below.set(place, owned)
  const known = owned.get(owns)
  if (known !== undefined) return known
  const found = { resource: owns.target, path: [...place.path, owns] }
  owned.set(owns, found)
  return found
}
