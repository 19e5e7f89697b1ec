import { callerIn, NO_CALLER } from '../model/any-caller.ts'
import { tenantIn } from '../model/any-tenant.ts'
import type { Diff } from '../planning/diff/diff.ts'
import type { ReadRecord } from '../rules/rows/tree.ts'
import { setValues } from '../rules/stages/set-values.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** Gives rows the values that rules have for them. `read`: the records that the request names. */
export function setRuleValues(
  { rules }: WriteParts,
  { requestContext, now }: WriteCall,
  diff: Diff,
  read: readonly ReadRecord[],
): void {
  if (rules === undefined) return
  const asking = { caller: callerIn(requestContext) ?? NO_CALLER, tenant: tenantIn(requestContext), now }
  setValues(rules, diff, asking, read)
}
