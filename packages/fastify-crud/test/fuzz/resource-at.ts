import type { Link, Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'

/** The resource whose records a path names: that of its last route; undefined if it has none. */
export function resourceAt(model: Model, pathname: string): Resource | undefined {
  const resources = [...model.resources.values()]
  for (const segment of pathname.split('/').reverse()) {
    const found = resources.find(({ route }) => route === segment)
    if (found !== undefined) return found
  }
  return undefined
}

/** The link of a record that a path is about: `/api/item/5/topics`, `/api/item/5/topics/7`; undefined for all others. */
export function linkAt(model: Model, pathname: string): Link | undefined {
  const segments = pathname.split('/')
  const resource = resourceAt(model, pathname)
  const behind = resource === undefined ? [] : segments.slice(segments.lastIndexOf(resource.route) + 1)
  if (behind.length !== 2 && behind.length !== 3) return undefined
  return resource?.links.find(({ name }) => name === behind[1])
}
