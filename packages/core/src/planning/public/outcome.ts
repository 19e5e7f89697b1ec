import type { Rights } from '../../asking/policies/rights.ts'
import type { Refusal } from '../../errors.ts'
import { askedAgain } from '../decide/asked-again.ts'
import { type GuardedRows, guardedAfter, type OwnRecords } from '../decide/guarded-rows.ts'
import { uniqueChanges } from '../decide/handed-on.ts'
import { type Facts, type Lookups, lookupsOf } from '../decide/lookups.ts'
import type { Permit } from '../decide/planned-actions.ts'
import { refusalOfChanges } from '../decide/refusal-of-changes.ts'
import type { Diff } from '../diff/diff.ts'
import { order } from '../order/order.ts'
import { AT_ONCE, type OrderedChanges, type WritingRows } from '../order/ordered.ts'
import type { RowId } from '../rows.ts'
import { type Plan, toPlan } from './plan.ts'

/** A plan, or why there is none. */
export type Outcome = { readonly plan: Plan } | { readonly refusal: Refusal }

/** The changes in their order, or why they may not be made. */
export type Decision = Decided | { readonly refusal: Refusal }

export interface Decided {
  readonly ordered: OrderedChanges
  /** The rows that policies are asked about when they are stored. */
  readonly guarded: readonly GuardedRows[]
}

/** What is to be regarded besides the changes. */
export interface Regarding {
  readonly writing: WritingRows
  /** Default: everything. */
  readonly permit?: Permit | undefined
  /** What policies let the caller do. Default: everything. */
  readonly rights?: Rights | undefined
  readonly own?: OwnRecords | undefined
  /** While the write is under way, others may take away what it was allowed. Default: false. */
  readonly othersMayWrite?: boolean | undefined
}

/** Decides on changes, given the answers to what had to be looked up. Throws what `permit` throws. */
export function decide(
  diff: Diff,
  results: readonly RowId[],
  facts: Facts,
  lookups: Lookups = lookupsOf(diff),
  { writing, permit, rights, own, othersMayWrite = false }: Regarding = ALL_ALLOWED,
): Decision {
  const { changes } = diff
  const refusal = refusalOfChanges(diff, lookups, facts, permit, rights)
  if (refusal !== undefined) return { refusal }
  const once = rights === undefined ? [] : guardedAfter(diff, rights, own)
  const asksAgain = rights !== undefined && own !== undefined && othersMayWrite
  const guarded = asksAgain ? [...once, ...askedAgain(diff, lookups.existing, rights, own)] : once
  return { ordered: order(changes, uniqueChanges(lookups, facts), results, writing), guarded }
}

const ALL_ALLOWED: Regarding = { writing: AT_ONCE }

export function toOutcome(decision: Decision): Outcome {
  return 'refusal' in decision ? decision : { plan: toPlan(decision.ordered) }
}
