import { PATH_SEGMENT } from './check/check-descriptor.ts'
import {
  type Address,
  type CollectionPath,
  linkParam,
  ownedPath,
  paramOf,
  rootPath,
  topPath,
} from './collection-path.ts'
import type { Id } from './ids/id-kind.ts'
import { idInPath } from './ids/short-id.ts'
import type { Link, Model, Owns, Resource } from './model.ts'

/** A collection of a model, and the path that serves it. */
export interface Mount {
  readonly path: CollectionPath
  /** The collection's path after the prefix. The owners' ids are parameters: `/book/:book_id/chapter`. */
  readonly url: string
  /** The owners in the path, the topmost first. */
  readonly owners: readonly MountOwner[]
  /** The links of its records that have addresses. */
  readonly links: readonly MountLink[]
}

/** The address of a link, behind the path of a record: `/book/:id/tags/:tag_id`. */
export interface MountLink {
  readonly link: Link
  /** The path parameter that holds the id of the record at the other end, e.g. `tag_id`. */
  readonly param: string
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
    const top = () => mountAt(topPath(model, resource.key), `/${resource.route}`, [])
    if (resource.isRoot) addMounts(top(), mounts)
    // What its records own is reached below their owners, or has a route at the top of its own.
    else if (resource.isTopLevel) mounts.push(top())
  }
  return mounts
}

function mountAt(path: CollectionPath, url: string, owners: readonly MountOwner[]): Mount {
  const links = path.resource.links.filter(hasAddress).map((link) => ({ link, param: linkParam(path, link) }))
  return { path, url, owners, links }
}

/** Whether the name of a link can be a segment of paths, and what the record owns has no such path. */
export function hasAddress({ name, source }: Link): boolean {
  return PATH_SEGMENT.test(name) && !source.owns.some(({ segment }) => segment === name)
}

/** The path of a record in a URL, behind the prefix. The address names all owners. */
export function recordPath({ path, owners }: Address, id: Id): string {
  const { resource, relations } = path
  let at = rootPath(relations[0]?.source ?? resource)
  let url = `/${encodeURIComponent(at.resource.route)}`
  for (const [level, { name, segment }] of relations.entries()) {
    url += `/${encodeURIComponent(idInPath(at, owners[level] as Id))}/${encodeURIComponent(segment)}`
    at = ownedPath(at, name)
  }
  return `${url}/${encodeURIComponent(idInPath(at, id))}`
}

/** The path parameter that holds the id of an owner. */
export const ownerParam: (owner: Resource) => string = paramOf

/** Adds a mount and all mounts below it. */
function addMounts(mount: Mount, mounts: Mount[]): void {
  mounts.push(mount)
  const { resource, relations } = mount.path
  // Children of a self-owned record are records of the same resource: their own path leads to what they own.
  if (relations.at(-1)?.source === resource) return
  const param = ownerParam(resource)
  for (const owns of resource.owns) {
    const path = ownedPath(mount.path, owns.name)
    const owners = [...mount.owners, { owns, param }]
    addMounts(mountAt(path, `${mount.url}/:${param}/${owns.segment}`, owners), mounts)
  }
}
