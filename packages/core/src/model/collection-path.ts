import { withArticle } from '../errors.ts'
import type { Id } from './ids/id-kind.ts'
import { type Field, type Link, type Model, type Owns, type Resource, resourceOf } from './model.ts'
import { onceFor } from './once-for.ts'

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
   * Whether requests do not name the owners, although the records have some. Then answers have the owners' foreign keys
   * and whole ids, and `relations` is empty until the owners of a record are looked up.
   */
  readonly isTopLevel: boolean
  /** For the records that one record is linked to: where that one is, and its link. Undefined for all records at the
   * end of `relations`. */
  readonly linkedFrom?: LinkedFrom
  /** Its records are those that are kept after a DELETE, in place of those that are there. */
  readonly kept?: KeptRecords
}

/** How the records of such a path differ from those that are there. */
export interface KeptRecords {
  /** The field that they show besides all others; by default, the latest comes first. */
  readonly shows: (resource: Resource) => Field | undefined
  /** They are for those who may do this with them. */
  readonly asks: 'Delete'
}

const KEPT_RECORDS: KeptRecords = { shows: ({ softDelete }) => softDelete, asks: 'Delete' }

/** A link of the records of a path. */
export interface LinkedFrom {
  readonly path: CollectionPath
  readonly link: Link
}

/** The path of records without owners. Here, too, equal paths are one object. */
export const rootPath: (resource: Resource) => CollectionPath = onceFor((resource) => {
  return { resource, relations: [], isTopLevel: resource.isTopLevel }
})
const below = onceFor((path: CollectionPath) =>
  onceFor((owns: Owns): CollectionPath => {
    return { resource: owns.target, relations: [...path.relations, owns], isTopLevel: false }
  }),
)

/** The path of a resource's records at the top. Equal paths are one object: statements are kept for each path. */
export function topPath(model: Model, key: string): CollectionPath {
  const resource = resourceOf(model, key)
  if (!resource.isRoot && !resource.isTopLevel)
    throw new TypeError(
      `${withArticle(key)} is addressed through its owner, ${resource.ownedBy.map((owner) => owner.target.key).join(' or ')}: ${storePathTo(resource)}`,
    )
  return rootPath(resource)
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
  return below(path)(owns)
}

const linked = onceFor((path: CollectionPath) =>
  onceFor((link: Link): CollectionPath => {
    return { resource: link.target, relations: [], isTopLevel: link.target.isTopLevel, linkedFrom: { path, link } }
  }),
)

/**
 * The path of the records that a record at `path` is linked to: an address there has the ids of its owners, then its
 * own. The records show what they show by themselves. Here, too, equal paths are one object.
 */
export function linkedPath(path: CollectionPath, relation: string): CollectionPath {
  return linked(path)(linkNamed(path.resource, relation))
}

const deleted = new WeakMap<CollectionPath, CollectionPath>()

/** The path of the deleted records of a path. Here, too, equal paths are one object. */
export function deletedPath(path: CollectionPath): CollectionPath {
  const found = deleted.get(path) ?? { ...path, kept: KEPT_RECORDS }
  deleted.set(path, found)
  return found
}

/** The link of that name. Throws a TypeError if the resource has none. */
export function linkNamed({ key, links }: Resource, relation: string): Link {
  const link = links.find((one) => one.name === relation)
  if (link === undefined) throw new TypeError(`${withArticle(key)} has no links '${relation}'`)
  return link
}

/** What a path calls the id of a record that is owned, linked or owns others: `tag_id`. */
export function paramOf({ key }: Resource): string {
  return `${key}_id`
}

/** What the path of a link calls the id of the record at the other end. An owner in the path may be of the same
 * resource. */
export function linkParam(path: CollectionPath, { target }: Link): string {
  const param = paramOf(target)
  // Where the owners are looked up, they are not in the path.
  const owners = path.isTopLevel ? [] : resourcesInAddress(path)
  const isTaken = owners.some((owner) => paramOf(owner) === param)
  return isTaken ? `linked_${param}` : param
}

/** The resources of the records whose ids an address of the path has, in their order. */
export function resourcesInAddress({ relations, linkedFrom }: CollectionPath): readonly Resource[] {
  if (linkedFrom === undefined) return relations.map(({ source }) => source)
  return [...resourcesInAddress(linkedFrom.path), linkedFrom.link.source]
}

const located = onceFor((_: Resource) => new Map<string, CollectionPath>())

/** The path of a record that was reached without naming its owners, once they are looked up. Equal paths are one
 * object. */
export function locatedPath(resource: Resource, relations: readonly Owns[]): CollectionPath {
  const ofResource = located(resource)
  const path = { resource, relations, isTopLevel: true }
  const name = nameOfPath(path)
  const known = ofResource.get(name) ?? path
  ofResource.set(name, known)
  return known
}

/** Whether neither the request nor the database has named the owners that the records have. */
export function namesNoOwner({ relations, isTopLevel, linkedFrom }: CollectionPath): boolean {
  return isTopLevel && relations.length === 0 && linkedFrom === undefined
}

/** The names in a path tell it from all others. */
export function nameOfPath({ resource, relations, linkedFrom, kept }: CollectionPath): string {
  if (kept) return `${nameOfPath({ resource, relations, isTopLevel: false })}.$deleted`
  if (linkedFrom !== undefined) return `${nameOfPath(linkedFrom.path)}.${linkedFrom.link.name}`
  const [top] = relations
  return [top?.source.key ?? resource.key, ...relations.map(({ name }) => name)].join('.')
}

/** The collection that a request names: its path in the model, and the ids of the owners in it, the topmost first. */
export interface Address {
  readonly path: CollectionPath
  readonly owners: readonly Id[]
}

/** The most relations of one path. */
export const MOST_RELATIONS = 5
