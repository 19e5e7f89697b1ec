import { CrudError, forbidden } from '../../errors.ts'
import type { Model, Resource } from '../../model/model.ts'
import { refusalOfReadOnly } from '../../planning/public/read-only.ts'
import type { QueryContext } from '../../sql/context.ts'

/** Fails with `CRUD_ERR_METHOD` where records are only read, and with `CRUD_ERR_FORBIDDEN` where a tenant would write what all tenants share. */
export function checkWritable({ reach }: QueryContext, model: Model, resource: Resource): void {
  const { key, tenant } = resource
  const refusal = refusalOfReadOnly(resource)
  if (refusal !== undefined) throw new CrudError(refusal)
  if (model.tenant === undefined || reach !== 'one tenant' || tenant !== undefined) return
  throw new CrudError(forbidden(`all tenants share the records of ${key}, so none of them writes them`, []))
}
