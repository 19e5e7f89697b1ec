import type { Id } from '@fastify-crud/core'
import type { Resource } from '@fastify-crud/core/internal'

/** Undefined for an id that no record can have: it must not be taken for that of another record. */
export function idOfRecord({ id: kind }: Resource, id: Id | undefined): Id | undefined {
  return kind.fromJson(id)
}
