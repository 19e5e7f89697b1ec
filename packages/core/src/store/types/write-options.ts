import type { Id } from '../../model/ids/id-kind.ts'
import type { Plan } from '../../plan/public/plan.ts'

export interface WriteOptions {
  /**
   * All of the write is done, and undone at the end: policies and rules say what they have against it, all but `afterCommit`. It
   * resolves to what the result would be, and the plan. Default: false.
   */
  readonly dryRun?: false
}

/** A write that is undone at its end. */
export interface DryRun {
  readonly dryRun: true
}

/** What a write would do. */
export interface DryRunOf<R> {
  /** The record as it would be. Undefined if it is too large for an answer, or the caller could not see it any more. */
  record: R | undefined
  plan: Plan
}

export interface CreateOptions<I extends Id = Id> {
  /** The new record's id, instead of one that the database or the library assigns. Later creates do not collide with it. */
  readonly id?: I
}
