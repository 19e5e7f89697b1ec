import { withArticle } from '../errors.ts'
import type { Model, Owns, Resource } from './model.ts'
import { resourceOf } from './model.ts'

/**
 * The path of a collection in the model: a resource at the top, or a relation below the path of its owner. A path names
 * relations only. The owners' ids come with each request: see `Address`.
 */
export interface CollectionPath {
  /** The resource of the collection's records. */
  readonly resource: Resource
  /** The relations from the topmost owner down to these records; empty at the top. */
  readonly relations: readonly Owns[]
  /**
   * Whether requests do not name the owners, although the records have some. Then answers have the owners' foreign keys and whole ids, and
   * `relations` is empty until the owners of a record are looked up.
   */
  readonly isTopLevel: boolean
}

const tops = new WeakMap<Resource, CollectionPath>()
const below = new WeakMap<CollectionPath, Map<Owns, CollectionPath>>()

/** The path of a resource's records at the top. Equal paths are one object: statements are kept for each path. */
export function topPath(model: Model, key: string): CollectionPath {
  const resource = resourceOf(model, key)
  if (!resource.isRoot && !resource.isTopLevel)
    throw new TypeError(
      `${withArticle(key)} is addressed through its owner, ${resource.ownedBy.map((owner) => owner.target.key).join(' or ')}: ${storePathTo(resource)}`,
    )
  const known = tops.get(resource)
  if (known !== undefined) return known
  const path = { resource, relations: [], isTopLevel: resource.isTopLevel }
  tops.set(resource, path)
  return path
}

/** How the store reaches the records of a resource, in words of its own: `store.book.owned(id, 'chapters')`. */
function storePathTo({ key, isRoot, ownedBy }: Resource): string {
  const [owner] = ownedBy
  if (isRoot || owner === undefined) return `store.${key}`
  return `${storePathTo(owner.target)}.owned(id, '${owner.inverse.name}')`
}

/** The path of what the records at `path` own through a relation. Here, too, equal paths are one object. */
export function ownedPath(path: CollectionPath, relation: string): CollectionPath {
  const owns = path.resource.owns.find((one) => one.name === relation)
  if (owns === undefined) throw new TypeError(`${withArticle(path.resource.key)} owns nothing through '${relation}'`)
  const owned = below.get(path) ?? new Map<Owns, CollectionPath>()
  below.set(path, owned)
  const known = owned.get(owns)
  if (known !== undefined) return known
  const found = { resource: owns.target, relations: [...path.relations, owns], isTopLevel: false }
  owned.set(owns, found)
  return found
}

const located = new WeakMap<Resource, Map<string, CollectionPath>>()

/** The path of a record that was reached without naming its owners, once they are looked up. Equal paths are one object. */
export function locatedPath(resource: Resource, relations: readonly Owns[]): CollectionPath {
  const ofResource = located.get(resource) ?? new Map<string, CollectionPath>()
  located.set(resource, ofResource)
  const path = { resource, relations, isTopLevel: true }
  const name = nameOfPath(path)
  const known = ofResource.get(name) ?? path
  ofResource.set(name, known)
  return known
}

/** Whether neither the request nor the database has named the owners that the records have. */
export function namesNoOwner({ relations, isTopLevel }: CollectionPath): boolean {
  return isTopLevel && relations.length === 0
}

/** The names in a path tell it from all others. */
export function nameOfPath({ resource, relations }: CollectionPath): string {
  const [top] = relations
  return [top?.source.key ?? resource.key, ...relations.map(({ name }) => name)].join('.')
}
