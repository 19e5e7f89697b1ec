import {
  namedInBody,
  type Operation,
  ownedTree,
  type Resource,
  type ResourcesInRecord,
  resourcesInRecord,
} from '@fastify-crud/core/internal'
import type { Call } from '../http/call.ts'

/**
 * The resources of which it makes a difference to any request for an endpoint whether it may see their records: those that its answer
 * shows without a query, and those for which rules run (`touched`).
 */
export function concernedAt(resource: Resource, touched: readonly Resource[]): ResourcesInRecord {
  return withOthers(resource, resourcesInRecord(resource), touched)
}

/**
 * The resources of which it makes a difference to one request whether it may see their records: `atEndpoint`, which {@link concernedAt}
 * says, `besides`, which the query names or rules run for, and those that the body names. Where records are removed or counted, also
 * all that a record may have.
 */
export function concernedResources(
  operation: Operation,
  call: Call,
  atEndpoint: ResourcesInRecord,
  besides: readonly Resource[],
): ResourcesInRecord {
  const { resource } = call.at.path
  return withOthers(resource, resource.carriesAll ? atEndpoint : withUnshown(operation, call, atEndpoint), besides)
}

function withOthers(resource: Resource, known: ResourcesInRecord, resources: readonly Resource[]): ResourcesInRecord {
  const { owned, related } = known
  const others = resources.filter((one) => !owned.includes(one) && !related.includes(one))
  if (others.length === 0) return known
  const tree = ownedTree(resource)
  return {
    owned: [...owned, ...others.filter((one) => tree.includes(one))],
    related: [...related, ...others.filter((one) => !tree.includes(one))],
  }
}

/** With what the record does not carry by default, and a write is about nevertheless. */
function withUnshown(
  operation: Operation,
  { at: { path }, request, preferences }: Call,
  shown: ResourcesInRecord,
): ResourcesInRecord {
  if (operation === 'list' || operation === 'findOne') return shown
  if (operation === 'delete' || preferences.maxAffected !== undefined)
    return resourcesInRecord(path.resource, () => true)
  const named = namedInBody(path.resource, request.body)
  return resourcesInRecord(path.resource, (relation) => named.has(relation))
}
