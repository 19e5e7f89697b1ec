import type { Descriptors, IdDeclaration } from 'fastify-crud'
import { v7 } from 'uuid'

/** The ids of a resource on one side. The reference has integers in their place. */
export interface SideIds {
  readonly id: IdDeclaration
  /** An id that no record has, for one of the reference that no record ever had. */
  unknown(id: number): number | string
}

const INTEGER: SideIds = { id: 'integer', unknown: (id) => id }

const uuids = (id: IdDeclaration): SideIds => ({ id, unknown: () => v7() })

const KINDS: readonly SideIds[] = [
  INTEGER,
  { id: 'bigint', unknown: String },
  uuids('uuid'),
  uuids({ kind: 'uuid', stored: 'hex' }),
  uuids({ kind: 'uuid', stored: 'upper' }),
]

/** The kind of each resource's ids. 0: integers for all; any other number mixes the kinds. */
export function idKindsOf(descriptors: Descriptors, ids: number): (resource: string) => SideIds {
  const keys = Object.keys(descriptors)
  return (resource) => (ids === 0 ? INTEGER : (KINDS[(ids + keys.indexOf(resource)) % KINDS.length] as SideIds))
}

export function withIdKinds(descriptors: Descriptors, ids: number): Descriptors {
  if (ids === 0) return descriptors
  const kindOf = idKindsOf(descriptors, ids)
  return Object.fromEntries(Object.entries(descriptors).map(([key, one]) => [key, { ...one, id: kindOf(key).id }]))
}
