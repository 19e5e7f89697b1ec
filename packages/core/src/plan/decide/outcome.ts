import type { Refusal } from '../../errors.ts'
import type { RowId } from '../diff/changes.ts'
import { isEmpty } from '../diff/changes.ts'
import type { Diff } from '../diff/diff.ts'
import { order } from '../order/order.ts'
import type { OrderedChanges } from '../order/ordered.ts'
import { type Plan, toPlan } from '../plan.ts'
import { type Facts, type Lookups, lookupsOf } from './lookups.ts'
import { refuse } from './refuse.ts'

/** A plan, or why there is none. */
export type Outcome = { readonly plan: Plan } | { readonly refusal: Refusal }

/** The changes in their order, or why they may not be made. */
export type Decision = { readonly ordered: OrderedChanges } | { readonly refusal: Refusal }

/** Decides on changes, given the answers to what had to be looked up. */
export function decide(
  diff: Diff,
  result: RowId | undefined,
  facts: Facts,
  lookups: Lookups = lookupsOf(diff.changes),
  rowByRow = false,
): Decision {
  const refusal = refuse(diff, lookups, facts)
  return refusal === undefined ? { ordered: order(diff.changes, lookups.changed, result, rowByRow) } : { refusal }
}

export function toOutcome(decision: Decision): Outcome {
  return 'refusal' in decision ? decision : { plan: toPlan(decision.ordered) }
}

/** Whether nothing has to be looked up or written: the body says what is stored already. */
export function isSettled(diff: Diff): boolean {
  return isEmpty(diff.changes) && diff.problems.length === 0 && diff.unknown.length === 0
}
