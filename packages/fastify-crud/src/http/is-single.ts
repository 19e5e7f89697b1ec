import type { Operation } from '@fastify-crud/core/internal'

const SINGLE: ReadonlySet<Operation> = new Set(['findOne', 'replace', 'patch', 'delete'])

/** Operations on a single record that is there. */
export function isSingle(operation: Operation): boolean {
  return SINGLE.has(operation)
}
