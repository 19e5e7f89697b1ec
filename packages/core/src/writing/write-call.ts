import type { RowAction } from '../asking/policies/rights.ts'
import type { Selection } from '../asking/select/selection.ts'
import type { Effects } from '../effects-form.ts'
import type { Refusal } from '../errors.ts'
import type { HistoryTerms } from '../history/keep-history.ts'
import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Resource, UniqueKey } from '../model/model.ts'
import type { Draft, InvisibleResources } from '../planning/body/draft.ts'
import type { SaidOwner } from '../planning/body/owners-in-body.ts'
import type { OwnRecords } from '../planning/decide/guarded-rows.ts'
import type { Permit } from '../planning/decide/planned-actions.ts'
import type { Diff } from '../planning/diff/diff.ts'
import type { Plan } from '../planning/public/plan.ts'
import type { RowId } from '../planning/rows.ts'
import type { ActiveRules } from '../rules/active-rules.ts'
import type { ReadRecord } from '../rules/rows/tree.ts'
import type { AfterCommits } from '../rules/stages/after-commits.ts'
import type { EndTogether } from '../rules/stages/end-together.ts'
import type { ErrorsOption } from '../rules/stages/refusals.ts'
import type { LeftByWrite } from '../rules/stages/ruled-write.ts'
import type { Session } from '../session/session.ts'
import type { SessionPool } from '../session/session-pool.ts'
import type { QueryContext } from '../sql/context.ts'
import type { Statements } from '../sql/statements.ts'
import type { Needs } from './learn-cascades.ts'

/** What every write of a store works with. */
export interface WriteParts {
  readonly context: QueryContext
  readonly statements: Statements
  readonly sessions: SessionPool
  /** Undefined where there are none. */
  readonly rules: ActiveRules | undefined
  /** In the transaction of an action: its end. Undefined anywhere else. */
  readonly end: EndTogether | undefined
  /** What rules and actions do after commits. Undefined where there are none of both. */
  readonly afterCommits: AfterCommits | undefined
  /** Undefined where the model keeps no history. */
  readonly history: HistoryTerms | undefined
  /** What has to be awaited before something is written; undefined where there is nothing to ask. */
  readonly learnTypes: (() => Promise<void> | undefined) | undefined
  /** Asks which relations say `needs` over ON DELETE CASCADE; undefined where it does not matter. */
  readonly learnCascades: ((session: Session) => Promise<Needs>) | undefined
  /** Whether the model has a relation without a foreign key. */
  readonly hasUnconstrained: boolean
  /** The most records that a write of many may read. */
  readonly maxRows: number
  /** The most changes of a write whose effects are listed. */
  readonly maxChanges: number
  /** The application's own messages for errors of the database. */
  readonly errors: ErrorsOption | undefined
}

/** A write that was asked for. It is the same in all attempts. */
export type WriteCall = SingleCall | BulkCall

/** A write of one record. */
export type SingleCall = CreateCall | UpdateCall | DeleteCall | RestoreCall | UndoCall

/** A POST, or a PUT of a new record. */
export interface CreateCall extends CallTerms {
  readonly operation: 'create'
  readonly id: undefined
  /** The id for the new record; undefined: the database gives one. */
  readonly chosenId: Id | undefined
  readonly draft: Draft
}

export interface UpdateCall extends CallTerms {
  readonly operation: 'replace' | 'patch'
  readonly id: Id
  readonly draft: Draft
  /** The draft is about this link alone, and no answer shows the record. Undefined: it has a body. */
  readonly link?: Link
}

export interface DeleteCall extends CallTerms {
  readonly operation: 'delete'
  readonly id: Id
  /** Resources whose records the body could not name. */
  readonly hidden: InvisibleResources
}

/** A deleted record comes back, with all that was deleted together with it. */
export interface RestoreCall extends CallTerms {
  readonly operation: 'restore'
  readonly id: Id
}

/** An earlier write that has touched the record is undone. */
export interface UndoCall extends CallTerms {
  readonly operation: 'undo'
  readonly id: Id
  /** The id of that write. */
  readonly write: string
  /** Resources whose records the caller may not see. */
  readonly hidden: InvisibleResources
}

/** A write of many records of one resource: all of it is done, or nothing. */
export interface BulkCall extends CallTerms {
  readonly operation: 'bulk'
  /** What the request is to the records, as its effects call it. */
  readonly verb: 'create' | 'replace' | 'patch' | 'delete'
  readonly id: undefined
  readonly records: readonly BulkRecord[]
  /** Resources whose records the request could not name. */
  readonly hidden: InvisibleResources
  /** Is asked under the lock which records the request still means; undefined: it names them itself. */
  readonly stillMeant: ((session: Session) => Promise<ReadonlySet<Id>>) | undefined
  /** Is asked under the lock: fails if the owners of the records are not those that were looked up. Undefined: the
   * request names them, or they stay. */
  readonly checkOwners: ((session: Session) => Promise<void>) | undefined
}

/** What is to become of one of the records. */
export type BulkRecord = BulkCreate | BulkUpdate | BulkDelete

export interface BulkCreate {
  readonly operation: 'create'
  /** With the owners of the new record. */
  readonly at: Address
  readonly draft: Draft
}

export interface BulkUpdate {
  readonly operation: 'replace' | 'patch'
  readonly id: Id
  readonly draft: Draft
  /** What the body says of owners that the request does not name. */
  readonly said: readonly SaidOwner[]
  /** The request names the record by the values of this key. */
  readonly by: UniqueKey | undefined
}

export interface BulkDelete {
  readonly operation: 'delete'
  readonly id: Id
}

/** The bodies of a write. */
export function draftsOf(call: WriteCall): readonly Draft[] {
  if (call.operation === 'bulk') return call.records.flatMap((one) => (one.operation === 'delete' ? [] : [one.draft]))
  return 'draft' in call ? [call.draft] : []
}

/** Where a write is done, for whom, and on which terms. */
export interface CallTerms {
  readonly at: Address
  /** What the calling code has handed in for the request: policies and rules find the caller in it. */
  readonly requestContext: unknown
  /** Is asked what the plan may do. Undefined: everything. */
  readonly permit: Permit | undefined
  /** What has to be true of the record. */
  readonly precondition: Precondition | undefined
  /** The most records that it may add, change or remove; undefined: any number. */
  readonly maxAffected: number | undefined
  /** All of it is undone at the end. */
  readonly rollsBack: boolean
  /** The record is read afterwards, for the answer. */
  readonly readsBack: boolean
  /** What is asked of its effects; undefined: nothing. */
  readonly effects: EffectsTerms | undefined
  /** By what it is known if it is sent again; undefined: it is a new request each time. */
  readonly repeat: Repeat | undefined
  /** Is told where in the server's log the write stands; undefined: nobody asks. */
  readonly notePosition: ((position: string) => void) | undefined
  /** All attempts have one time. */
  readonly now: Date
  /** What policies have to allow of the record for an action; absent: to see it. */
  readonly asks?: RowAction | undefined
}

/** What a request asks of the effects of a write. */
export interface EffectsTerms {
  /** They are the answer. */
  readonly areAnswer: boolean
  /** The write is done only if they have this tag; undefined: whatever they are. */
  readonly match?: string | undefined
  /** Whether the caller may see no records of a resource. Default: it may see those of all. */
  readonly hides?: ((resource: Resource) => boolean) | undefined
}

/** Effects, as the answer of a write has them. */
export interface WrittenEffects {
  readonly shown: Effects
  /** Only of a write that is undone. */
  readonly tag: string | undefined
}

/** What a write has done. */
export interface Written {
  readonly id: Id | undefined
  /** The record as it is after the write, or all of them; undefined if it is gone, or too large for an answer. */
  readonly json: string | undefined
  /** The caller may not see it after the write. Default: it may. */
  readonly isOutOfSight?: boolean
  /** Where the record is, which has moved to another owner. Absent: at the address of the write. */
  readonly movedTo?: Address
  /** It repeats an earlier request, whose answer had this status. */
  readonly firstStatus?: number
  /** What would be done, if all is undone at the end. */
  readonly plan?: Plan | undefined
  /** What it has done or would do, if that is asked for; of what is undone, with the tag. */
  readonly effects?: WrittenEffects | undefined
  /** Of a write of many records: those that the answer shows, and how many it was about. */
  readonly many?: { readonly ids: readonly Id[]; readonly count: number } | undefined
  /** What is left to do for rules. */
  readonly left?: LeftByWrite
}

/** PUT and PATCH may find that nothing is to be changed. POST and DELETE always write. */
export function mayChangeNothing(call: WriteCall): call is UpdateCall {
  return call.operation === 'replace' || call.operation === 'patch'
}

/** On which terms a write is done. */
export interface WriteTerms {
  /** What has to be true of the record before the write. Default: nothing. */
  readonly precondition?: Precondition | undefined
  /** The most records that the write may add, change or remove, of those that the caller may see. Default: any
   * number. */
  readonly maxAffected?: number | undefined
  /** All of the write is done, and undone at the end: the answer says what it would be. Default: false. */
  readonly rollsBack?: boolean | undefined
  /** The record is read after the write, for the answer. Default: true. */
  readonly readsBack?: boolean | undefined
  /** What is asked of what the write does. Default: nothing. */
  readonly effects?: EffectsTerms | undefined
  /** By what it is known if the request is sent again. Default: it is a new request each time. Nothing is kept of what
   * is undone. */
  readonly repeat?: Repeat | undefined
  /** PostgreSQL: is told where in the server's log the write stands. Default: nobody asks. */
  readonly notePosition?: ((position: string) => void) | undefined
}

/** Says why the write is refused, undefined if it is not. It is asked under the lock, and again at each attempt. */
export type Precondition = (before: RecordBefore) => Refusal | undefined

/** What a write finds at its address. */
export interface RecordBefore {
  readonly exists: boolean
  /** The record as `find` returns it; undefined if there is none, or if it is too large for an answer. */
  readonly json: string | undefined
}

/** By what a request is known if it is sent again: with its `Idempotency-Key`. */
export interface Repeat {
  /** Equal for the request and its repeats, and for no request of another caller or to another path. The tenant is
   * known besides. */
  readonly key: string
  /** Equal for equal bodies. */
  readonly body: string
  /** Of the answer, if the write is done. */
  readonly status: number
  /** The request is about many records. */
  readonly isMany: boolean
}

/** What a write finds, compared with its body. */
export interface Current {
  readonly diff: Diff
  /** The records that the answer shows; none if they will be gone. */
  readonly results: readonly RowId[]
  /** The record as the database writes it; undefined if there is none, or if it was not read as a whole. */
  readonly record: string | undefined
  /** What a PUT or PATCH is planned from. */
  readonly basis: Basis | undefined
  /**
   * The ids of all that the record owns, as the database writes them. Undefined where those that the caller may not see
   * make no difference.
   */
  readonly unreadIds: string | undefined
  /** The records that the request names, for policies. */
  readonly own: OwnRecords
  /** How many records that the caller may see are added, changed or removed; 0 without a limit to them. */
  readonly affected: number
  /** How many records the request is about, where it may be about many. */
  readonly count?: number | undefined
  /** The records that were read, for rules. None of a new one, and where no rule runs for the write. */
  readonly read: readonly ReadRecord[]
}

/** A record in part or whole, as the database writes it. */
export interface Basis {
  readonly selection: Selection
  readonly json: string
}
