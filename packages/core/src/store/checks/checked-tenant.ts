import { CrudError, notFound } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { type Model, resourceOf } from '../../model/model.ts'
import type { WhoseRecords } from '../types/store-types.ts'

/** The tenant that a store was asked for; undefined: none. Throws a TypeError for a tenant in a model without. */
export function tenantNamed(model: Model, whose: Partial<WhoseRecords> | undefined): Id | undefined {
  const tenant: unknown = whose?.tenant
  if (tenant === undefined || tenant === null) return undefined
  if (model.tenant === undefined) throw new TypeError('tenant: the model has no tenants')
  return checkedTenant(model, tenant)
}

/** The id of a tenant, in the one form in which ids are compared. Fails with `CRUD_ERR_NOT_FOUND` for what is no id of its kind. */
export function checkedTenant(model: Model, tenant: unknown): Id {
  const { key, id: kind } = resourceOf(model, model.tenant?.resource ?? '')
  const id = kind.fromCaller(tenant)
  if (id === undefined) throw new CrudError(notFound(key, String(tenant)))
  return id
}
