import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { InvisibleResources } from '../../planning/body/draft.ts'
import type { Permit } from '../../planning/decide/planned-actions.ts'
import type { Plan } from '../../planning/public/plan.ts'
import type { BulkRecord, WriteTerms } from '../../writing/write-call.ts'

export interface WriteOptions {
  /**
   * All of the write is done, and undone at the end: policies and rules say what they have against it, all but
   * `afterCommit`. It resolves to what the result would be, and the plan. Default: false.
   */
  readonly dryRun?: false
  readonly returns?: never
}

/** A write that is undone at its end. */
export interface DryRun {
  readonly dryRun: true
  readonly returns?: never
}

/** What a write would do. */
export interface DryRunOf<R> {
  /** The record as it would be. Undefined if it is too large for an answer, or the caller could not see it any more. */
  record: R | undefined
  plan: Plan
}

/** The place of a link in an array that keeps its order. */
export interface LinkPlace<I extends Id = Id> {
  /** The record in front of which the linked one is to be; null: at the end. Default: a new link comes to the end, and
   * one that is there stays where it is. */
  readonly before?: I | null
}

export interface CreateOptions<I extends Id = Id> {
  /** The new record's id, instead of one that the database or the library assigns. Later creates do not collide with
   * it. */
  readonly id?: I
}

/** How a write names records by values of theirs. */
export interface ByKey {
  /** The names of a unique key, as its descriptor has them. */
  readonly by: readonly string[]
}

/** Which records of a list a write means. `F`: the filter. */
export interface MatchOptions<F = unknown> {
  /** A filter, as in `list`. */
  readonly filter: F
  /** The most records that the write may add, change or remove, of those that the caller may see: if there are more, it
   * does nothing. */
  readonly maxAffected: number
}

/** Records as a write of many has left them, in the order of the bodies. Those that the caller may not see are
 * missing. */
export interface WrittenRows<R> {
  rows: R[]
}

/** A record that a write has named by unique values. */
export interface UpsertedRecord<R> {
  record: R
  /** It was created. */
  isNew: boolean
}

/** How many records a write has changed or deleted. */
export interface WrittenCount {
  count: number
}

/** Is told which records a write of many names, before anything is written. */
export interface RecordsCheck {
  /** It is about the owners of records. */
  readonly asksOwners: boolean
  /** Fails if one of them may not be written. `addressOf`: where a record is; undefined if it is not there. */
  check(
    at: Address,
    records: readonly BulkRecord[],
    addressOf: (record: BulkRecord) => Address | undefined,
  ): Promise<void>
}

/** On whose behalf a method is called, and on which terms. */
export interface Asked extends WriteTerms {
  /**
   * Whatever the calling code has to say of the request, such as the request itself: planning and statements can ask
   * it. Policies find who is asking in its `caller`.
   */
  readonly requestContext?: unknown
  /** Aborted when nobody waits for the answer of a read any more: it fails with the signal's reason. A write is not
   * affected. */
  readonly signal?: AbortSignal | undefined
  /** Is asked what a write may do to records other than its own. Default: everything. */
  readonly permit?: Permit | undefined
  /** Default: a write of many may write all records that it names. */
  readonly checkRecords?: RecordsCheck | undefined
  /** Is asked before the history tells of a record that is gone: fails if the reader might not delete it. */
  readonly checkGone?: (() => Promise<void>) | undefined
  /** Resources whose records a body cannot name, and whose absence from a PUT changes nothing. Default: none. */
  readonly hidden?: InvisibleResources
}
