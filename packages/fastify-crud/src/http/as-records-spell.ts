import type { Id } from '@fastify-crud/core'
import type { Address, JsonStore, Mount, Resource } from '@fastify-crud/core/internal'

// A column of UUIDs or of moments finds its record by any spelling, but an application compares ids as texts.

/** The ids that a request names. */
export interface Named {
  readonly inPath: Address
  readonly id: Id | undefined
}

/** Whether requests to a mount may name records in a spelling that columns take, but do not print. */
export function mayBeSpelledFreely({ path, owners }: Mount): boolean {
  return [path.resource, ...owners.map(({ owns }) => owns.source)].some(({ id }) => id.isSpelledFreely !== undefined)
}

/** The same ids as the records have them. */
export async function asRecordsSpell(
  store: JsonStore,
  { path, owners }: Mount,
  { inPath, id }: Named,
  requestContext: object,
): Promise<Named> {
  const spell = (resource: Resource, one: Id) => store.asSpelled(resource, one, { requestContext })
  const above = await Promise.all(inPath.owners.map((one, level) => spell(owners[level]?.owns.source as Resource, one)))
  return { inPath: { ...inPath, owners: above }, id: id === undefined ? undefined : await spell(path.resource, id) }
}
