import type { Refusal } from '../errors.ts'
import { type Facts, type Lookups, lookupsOf } from './decide/lookups.ts'
import type { Permit } from './decide/planned-actions.ts'
import { refusalOfChanges } from './decide/refusal-of-changes.ts'
import type { Diff } from './diff/diff.ts'
import { order } from './order/order.ts'
import type { OrderedChanges } from './order/ordered.ts'
import { type Plan, toPlan } from './plan.ts'
import type { RowId } from './row-id.ts'

/** A plan, or why there is none. */
export type Outcome = { readonly plan: Plan } | { readonly refusal: Refusal }

/** The changes in their order, or why they may not be made. */
export type Decision = { readonly ordered: OrderedChanges } | { readonly refusal: Refusal }

/** Decides on changes, given the answers to what had to be looked up. Throws what `permit` throws. */
export function decide(
  diff: Diff,
  result: RowId | undefined,
  facts: Facts,
  lookups: Lookups = lookupsOf(diff.changes),
  rowByRow = false,
  permit?: Permit,
): Decision {
  const refusal = refusalOfChanges(diff, lookups, facts, permit)
  return refusal === undefined ? { ordered: order(diff.changes, lookups.changed, result, rowByRow) } : { refusal }
}

export function toOutcome(decision: Decision): Outcome {
  return 'refusal' in decision ? decision : { plan: toPlan(decision.ordered) }
}
