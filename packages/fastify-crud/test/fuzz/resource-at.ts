import type { Resource } from '@fastify-crud/core/internal'
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
