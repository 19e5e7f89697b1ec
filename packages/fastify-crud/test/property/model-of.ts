import type { Descriptors, Model, ResourceDescriptor } from 'fastify-crud'
import { withSoftDelete } from '../../../../test/support/test-soft-delete.ts'
import { withIdKinds } from './id-kinds.ts'
import { inTenants } from './in-tenants.ts'
import type { Setting } from './side.ts'

/** The model of a case: what the setting adds to its descriptors makes no difference to the answers. */
export function modelOf(descriptors: Descriptors, { ids = 0, tenants, keepsDeleted, undoes }: Setting): Model {
  const all = undoes ? withHistory(descriptors) : descriptors
  const model = inTenants(withIdKinds(all, ids), tenants !== undefined)
  return keepsDeleted ? withSoftDelete(model, keepsDeleted === 'in a trash') : model
}

/** With a history of all that no other resource owns. */
function withHistory(descriptors: Descriptors): Descriptors {
  const isOwned = (key: string, { relations = {} }: ResourceDescriptor) =>
    Object.values(relations).some(({ relation, target }) => relation === 'ownedBy' && target !== key)
  const entries = Object.entries(descriptors).map(([key, one]): [string, ResourceDescriptor] => {
    return [key, isOwned(key, one) ? one : { ...one, history: true }]
  })
  return Object.fromEntries(entries)
}
