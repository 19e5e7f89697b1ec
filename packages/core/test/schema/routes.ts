import type { Mount } from '../../src/schema/mount.ts'
import { hasIdInPath, type RouteKind } from '../../src/schema/route-kind.ts'

export const methods = {
  list: 'GET',
  findOne: 'GET',
  create: 'POST',
  createWithId: 'POST',
  replace: 'PUT',
  replaceWithId: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<RouteKind, string>

export const kinds = Object.keys(methods) as RouteKind[]

/** The URL of an operation, as Fastify takes it. */
export function urlOf(kind: RouteKind, mount: Mount): string {
  return `/api${mount.url}${hasIdInPath(kind) ? '/:id' : ''}`
}
