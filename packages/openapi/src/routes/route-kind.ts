import type { Mount, Operation, Resource } from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Method } from '../components/openapi-document.ts'

/**
 * The operations as routes. `group` is a list of groups, `createWithId` is POST with the id in the path, `replaceWithId` is PUT with the id in the
 * body. `patchMany` and `deleteMany` are PATCH and DELETE of records of a list.
 */
export type RouteKind = Operation | 'group' | 'createWithId' | 'replaceWithId' | 'patchMany' | 'deleteMany'

/** The operations on the links of a record as routes: the page of related records, and to add and to remove one link. */
export type LinkRouteKind = 'linked' | 'link' | 'unlink'

/** The routes of a collection, by method. HEAD works wherever GET does. */
export const COLLECTION_ROUTES = {
  get: 'list',
  post: 'create',
  put: 'replaceWithId',
  patch: 'patchMany',
  delete: 'deleteMany',
} as const

/** The route of the groups of a collection. */
export const GROUP_ROUTES = { get: 'group' } as const

/** The routes of a record, by method. */
export const RECORD_ROUTES = {
  get: 'findOne',
  post: 'createWithId',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
} as const

export function operationOf(kind: RouteKind | LinkRouteKind): Operation {
  switch (kind) {
    case 'createWithId':
      return 'create'
    case 'replaceWithId':
      return 'replace'
    case 'patchMany':
      return 'patch'
    case 'deleteMany':
      return 'delete'
    case 'group':
      return 'list'
    case 'linked':
      return 'findOne'
    case 'link':
    case 'unlink':
      return 'patch'
    default:
      return kind
  }
}

/** PATCH and DELETE of records of a list. */
export function isOfMany(kind: RouteKind): boolean {
  return kind === 'patchMany' || kind === 'deleteMany'
}

/** POST, which answers 201. */
export function isCreation(kind: RouteKind | LinkRouteKind): boolean {
  return kind === 'create' || kind === 'createWithId'
}

/** PUT and PATCH, which answer with the record as they leave it. */
export function isUpdate(kind: RouteKind | LinkRouteKind): boolean {
  return !isOfLink(kind) && ['replace', 'patch'].includes(operationOf(kind))
}

function isOfLink(kind: RouteKind | LinkRouteKind): boolean {
  return kind === 'linked' || kind === 'link' || kind === 'unlink'
}

/** Whether the operation is refused with 428 if it has no `If-Match`. */
export function requiresIfMatch(kind: RouteKind | LinkRouteKind, { ifMatch }: Resource): boolean {
  return ifMatch === 'required' && ['replace', 'patch', 'delete'].includes(operationOf(kind))
}

/**
 * The name of a route's operation, e.g. `book.list`, or `book.chapters.create` below an owner: the topmost resource, the
 * relations down the path, the route's kind. That of HEAD is `book.listHead`. No two routes of a model have the same name.
 */
export function operationId(kind: RouteKind, method: Method, { path, owners }: Mount, idPrefix = ''): string {
  const root = owners[0]?.owns.source ?? path.resource
  const names = [root.key, ...owners.map(({ owns }) => owns.name), method === 'head' ? `${kind}Head` : kind]
  return idPrefix + names.map(safeName).join('.')
}
