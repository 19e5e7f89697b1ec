import { notFound, type Refusal } from '../errors.ts'
import type { Address } from '../model/address.ts'

/** Why nothing is done at an address: one of its owners is not there. */
export function ownerNotFound({ path, owners }: Address): Refusal {
  const resource = path.relations.at(-1)?.source.key ?? path.resource.key
  return notFound(resource, owners.at(-1) ?? '')
}
