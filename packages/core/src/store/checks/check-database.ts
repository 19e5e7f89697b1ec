import type { PolicySet } from '../../asking/policies/read-policies.ts'
import type { Model } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { checkComputed } from './check-computed.ts'
import { checkStored } from './check-stored.ts'
import { checkTenants } from './check-tenants.ts'

/** Throws a TypeError for what the database cannot do, or would show to the wrong ones. It is not asked. */
export function checkDatabase(model: Model, context: QueryContext, set: PolicySet | undefined): void {
  checkStored(model, context)
  checkComputed(model, context)
  checkTenants(model, context, set)
}
