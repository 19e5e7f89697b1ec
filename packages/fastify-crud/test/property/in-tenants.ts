import { type Descriptors, defineResources, type Model } from 'fastify-crud'

/** The key of the tenants' resource, which the reference does not know. */
export const WORKSPACE = 'workspace'

/** The tenants of a case, by their number. */
export const TENANTS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

/** The model, whose records are those of tenants if it has any. */
export function inTenants(descriptors: Descriptors, hasTenants: boolean): Model {
  if (!hasTenants) return defineResources(descriptors)
  const all: Descriptors = { ...descriptors, [WORKSPACE]: { id: 'uuid', fields: {} } }
  return defineResources(all, { tenant: { resource: WORKSPACE } })
}
