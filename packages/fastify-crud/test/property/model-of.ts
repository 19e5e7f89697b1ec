import type { Descriptors, Model } from 'fastify-crud'
import { withSoftDelete } from '../../../../test/support/test-soft-delete.ts'
import { withIdKinds } from './id-kinds.ts'
import { inTenants } from './in-tenants.ts'
import type { Setting } from './side.ts'

/** The model of a case: what the setting adds to its descriptors makes no difference to the answers. */
export function modelOf(descriptors: Descriptors, { ids = 0, tenants, keepsDeleted }: Setting): Model {
  const model = inTenants(withIdKinds(descriptors, ids), tenants !== undefined)
  return keepsDeleted ? withSoftDelete(model, keepsDeleted === 'in a trash') : model
}
