import { CrudError, forbidden } from '../../errors.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { QueryContext } from '../../query/context.ts'

/** Fails with `CRUD_ERR_FORBIDDEN` where a tenant would write what all tenants share. */
export function checkWritable({ reach }: QueryContext, model: Model, { key, tenant }: Resource): void {
  if (model.tenant === undefined || reach !== 'one tenant' || tenant !== undefined) return
  throw new CrudError(forbidden(`all tenants share the records of ${key}, so none of them writes them`, []))
}
