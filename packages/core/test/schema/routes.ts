import type { Model, Resource } from '../../src/model/model.ts'
import { hasIdInPath, type Mount, type RouteKind } from '../../src/schema/mount.ts'

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

/** Every place at which the resources of a model are reached; a tree only by its own route and one level below. */
export function mountsOf(model: Model): Mount[] {
  const found: Mount[] = []
  const visit = (mount: Mount): void => {
    found.push(mount)
    for (const owns of mount.resource.owns) {
      const isRepeated = mount.owners.some((owner) => owner.owns === owns)
      if (!isRepeated) visit(below(mount, owns))
    }
  }
  for (const resource of model.resources.values()) if (resource.isRoot) visit({ resource, owners: [] })
  return found
}

/** The place of one owned resource below its owner. */
export function below(mount: Mount, owns: Resource['owns'][number]): Mount {
  return { resource: owns.target, owners: [...mount.owners, { owns, param: `${owns.source.key}_id` }] }
}

/** The URL of an operation, as Fastify takes it. */
export function urlOf(kind: RouteKind, mount: Mount): string {
  const [outermost] = mount.owners
  const root = outermost === undefined ? mount.resource : outermost.owns.source
  const path = mount.owners.map(({ owns, param }) => `/:${param}/${owns.name}`).join('')
  return `/api/${root.route}${path}${hasIdInPath(kind) ? '/:id' : ''}`
}
