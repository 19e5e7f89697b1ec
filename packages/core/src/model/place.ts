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
  /** `book.chapters.pages`: tells places apart. */
  readonly name: string
}

/** The place of records that have no owner. */
export function topPlace(model: Model, key: string): Place {
  const resource = resourceOf(model, key)
  if (!resource.isRoot)
    throw new TypeError(
      `a ${key} is addressed through its owner, ${resource.ownedBy.map((owner) => owner.target.key).join(' or ')}`,
    )
  return { resource, path: [], name: key }
}

/** The place of the records that one of the records at `place` owns through a relation. */
export function ownedPlace(place: Place, relation: string): Place {
  const owns = place.resource.owns.find((one) => one.name === relation)
  if (owns === undefined) throw new TypeError(`a ${place.resource.key} owns nothing through '${relation}'`)
  return { resource: owns.target, path: [...place.path, owns], name: `${place.name}.${relation}` }
}
