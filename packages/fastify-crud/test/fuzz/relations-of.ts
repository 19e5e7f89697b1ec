import type { Resource } from '@fastify-crud/core/internal'

/** Every relation of the resource, of whatever kind. */
export function allRelationsOf({ owns, ownedBy, references, links, neededBy }: Resource) {
  return [...owns, ...ownedBy, ...references, ...links, ...neededBy]
}
