import { withArticle } from '../errors.ts'
import type { Model, Owns, Resource } from './model.ts'
import { resourceOf } from './model.ts'

/**
 * Where records live: at the top, or below an owner that lives somewhere itself. It names relations only; the owners'
 * ids come with each request, the topmost first.
 */
export interface Place {
  /** The records that live here. */
  readonly resource: Resource
  /** The relations from the topmost owner down to these records; empty at the top. */
  readonly path: readonly Owns[]
}

const tops = new WeakMap<Resource, Place>()
const below = new WeakMap<Place, Map<Owns, Place>>()

/** The place of records that have no owner; always the same one, as statements are kept for it. */
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

/** The place of the records that one of the records at `place` owns through a relation; always the same one, too. */
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
