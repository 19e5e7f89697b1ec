import {
  namedInBody,
  type Operation,
  ownedTree,
  type Resource,
  type ShownResources,
  shownResources,
} from '@fastify-crud/core/internal'
import type { Call } from './endpoints.ts'

/**
 * The resources of which it makes a difference to a request whether it may see their records: those that its answer shows without a query
 * (`shown`), those that its body names, and where records are removed or counted, all that a record may have. `besides`: those that its
 * query names, and those of which rules are told.
 */
export function concernedResources(
  operation: Operation,
  call: Call,
  shown: ShownResources,
  besides: readonly Resource[],
): ShownResources {
  const { resource } = call.at.path
  const concerned = resource.carriesAll ? shown : withUnshown(operation, call, shown)
  const { owned, related } = concerned
  const others = besides.filter((one) => !owned.includes(one) && !related.includes(one))
  if (others.length === 0) return concerned
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
  shown: ShownResources,
): ShownResources {
  if (operation === 'list' || operation === 'findOne') return shown
  if (operation === 'delete' || preferences.maxAffected !== undefined) return shownResources(path.resource, () => true)
  const named = namedInBody(path.resource, request.body)
  return shownResources(path.resource, (relation) => named.has(relation))
}
