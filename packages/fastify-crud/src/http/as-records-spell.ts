import type { Id } from '@fastify-crud/core'
import type { Address, JsonStore, Mount, Resource } from '@fastify-crud/core/internal'

// A column of UUIDs or of moments finds its record by any spelling, but an application compares ids as texts.

interface Named {
  readonly inPath: Address
  readonly id: Id | undefined
}

/** Whether a request names a record in a spelling that its columns may take, but do not print. */
export function isSpelledFreely({ path, owners }: Mount, { inPath, id }: Named): boolean {
  const isFree = ({ id: kind }: Resource, one: Id | undefined) =>
    one !== undefined &&
    kind.isSpelledFreely !== undefined &&
    kind.fromJson(one) !== undefined &&
    kind.isSpelledFreely(one)
  return (
    isFree(path.resource, id) || inPath.owners.some((one, level) => isFree(owners[level]?.owns.source as Resource, one))
  )
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
