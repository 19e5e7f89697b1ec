import type { Session } from '../../connection/session.ts'
import type { SessionPool } from '../../connection/session-pool.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids.ts'
import type { Hidden } from '../../plan/body/draft.ts'
import type { Permit } from '../../plan/decide/planned-actions.ts'
import type { Diff } from '../../plan/diff/diff.ts'
import type { OrderedStep, WritingRows } from '../../plan/order/ordered.ts'
import type { Plan } from '../../plan/public/plan.ts'
import type { RecordData } from '../../plan/record-data.ts'
import type { RowId } from '../../plan/row-id.ts'
import type { QueryContext } from '../../query/context.ts'
import type { Statements } from '../../query/statements.ts'
import type { Selection } from '../../reading/select/selection.ts'
import type { ActiveRules } from '../../rules/active-rules.ts'
import type { RowLocks } from '../../rules/rows/row-locks.ts'
import type { ErrorsOption } from '../../rules/stages/errors-option.ts'
import type { CommittedOf } from '../../rules/stages/ruled-write.ts'
import type { Lock } from './lock.ts'

/** What every write of a store works with. */
export interface WriteParts {
  readonly context: QueryContext
  readonly statements: Statements
  readonly sessions: SessionPool
  /** Undefined where there are none. */
  readonly rules: ActiveRules | undefined
  /** Puts errors of the database into the application's own words. Undefined where nobody does. */
  readonly errors: ErrorsOption | undefined
}

/** A request that writes. */
export interface WriteRequest {
  readonly at: Address
  /** The record; undefined if it is a new one. */
  readonly id: Id | undefined
  /** What the calling code handed in for the request: planning and statements find it in the session. */
  readonly requestContext: unknown
  /** Is asked what the plan may do. Undefined: everything. */
  readonly permit: Permit | undefined
  /** Whether it has a precondition. */
  readonly isConditional: boolean
  /** POST and DELETE always write, so they open the transaction without reading first. */
  readonly alwaysWrites: boolean
  /** The write without reading first; undefined where the current state decides. */
  readonly blind: BlindWrite | undefined
  /** How much is read of the record before: its state where the whole record is too large for an answer. */
  readonly readsBefore: 'whole' | 'state'
  /** The record is read afterwards: not where nobody asks for it, or the database cannot build it. */
  readonly readsBack: boolean
  /** The most records that it may add, change or remove; undefined: any number. */
  readonly maxAffected: number | undefined
  /** All of it is undone at the end. */
  readonly rollsBack: boolean
  readonly writing: WritingRows
  /** Rights that others may take away while the write is under way are asked again at its end. Not if one was lost then already. */
  readonly asksAgain: boolean
  /** What the last attempt was planned from, if other links were found in its answer than it planned. */
  readonly answeredFrom?: string | undefined
  /** The locks that its rules need; undefined where no rule runs. */
  readonly rowLocks?: RowLocks | undefined
  /** Is told what is about to be done, for those who have to explain why it failed. */
  readonly notePlan?: (plan: FailedPlan) => void
  /**
   * Reads the current state, and compares the body with it. Returns `before` where nothing has changed since. Fails unless the
   * precondition of the request holds.
   */
  readCurrent(session: Session, readsBefore: 'whole' | 'state', before?: Seen): Promise<Seen>
}

/** What a request makes of the current state. */
export interface Seen {
  readonly diff: Diff
  readonly result: RowId | undefined
  /** The record as the database writes it; undefined if there is none, or if it is not the whole record. */
  readonly record: string | undefined
  /** What a PUT or PATCH is planned from. */
  readonly basis: Basis | undefined
  /**
   * The ids of all that the record owns, as the database writes them. Undefined where those that the caller may not see make no
   * difference.
   */
  readonly stored: string | undefined
  /** How many records that the caller may see are added, changed or removed; 0 where nobody asks. */
  readonly affected: number
  /** What was read, for rules. Undefined for a new record, and where no rule runs for the write. */
  readonly data?: RecordData | undefined
}

/** A record in part or whole, as the database writes it. */
export interface Basis {
  readonly selection: Selection
  readonly json: string
}

export interface Written {
  readonly id: Id | undefined
  /** The record as it is after the write; undefined if it is gone, or too large for an answer. */
  readonly json: string | undefined
  /** The caller may not see it after the write. Default: it may. */
  readonly isHidden?: boolean
  /** What would be done, if all is undone at the end. */
  readonly plan?: Plan | undefined
  /** What `afterCommit` gets when it is committed. */
  readonly committed?: readonly CommittedOf[]
}

/**
 * A write that does not depend on what the record holds, so it needs no reading first: a PATCH of plain fields, a DELETE of a record
 * that nothing can refer to. It saves a round trip.
 */
export interface BlindWrite {
  readonly lock: Lock | undefined
  /** Whether there is something to write; undefined where that is not asked first. */
  readonly wouldChange: ((session: Session) => Promise<boolean>) | undefined
  /** Undefined if it changed nothing. `readsBack`: the record is read afterwards, for the answer. */
  write(session: Session, readsBack: boolean): Promise<Written | undefined>
}

/** What a write was about to do when it failed. */
export interface FailedPlan {
  readonly steps: readonly OrderedStep[]
  readonly hidden: Hidden
}
