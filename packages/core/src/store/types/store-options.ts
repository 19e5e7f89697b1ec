import type { Rights } from '../../asking/policies/rights.ts'
import type { ReadingLimits } from '../../asking/scope.ts'
import type { HistoryOf } from '../../history/keep-history.ts'
import { DEFAULT_LIMITS } from '../../model/descriptors/default-limits.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Model } from '../../model/model.ts'
import type { BodyLimits } from '../../planning/body/faults.ts'
import { rulesIn } from '../../rules/active-rules.ts'
import type { AfterCommits } from '../../rules/stages/after-commits.ts'
import type { SettingsOf } from '../../session/session-settings.ts'
import { compilesAlike, type QueryContext, queryContext, type Reach } from '../../sql/context.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { NoteUnshown } from '../../sql/reads/read-unshown.ts'
import { HIGHEST_MAX_ANSWER } from '../../sql/reads/summary-size.ts'
import type { KeptStatements, Statements } from '../../sql/statements.ts'
import type { WriteParts } from '../../writing/write-call.ts'

/** How much one body may hold, one query may ask for, and one answer may have. */
export interface StoreLimits extends BodyLimits, ReadingLimits {
  /**
   * The most bytes of a record or a page; beyond: `CRUD_ERR_TOO_LARGE`. Default 32 MiB, at most 256 MiB.
   */
  readonly maxAnswer: number
  /** The most milliseconds that an action may take, without what it prepares; beyond: `CRUD_ERR_BUSY`, and nothing is
   * stored. Default 10,000. */
  readonly action: number
  /** The most requests of a batch; beyond: `CRUD_ERR_INVALID`. Default 100. */
  readonly batch: number
  /** The most changes of one write whose effects are listed; beyond: `CRUD_ERR_TOO_LARGE`, and nothing is stored.
   * Default 10,000. */
  readonly maxChanges: number
}

export interface StoreOptions<M extends Model = Model> {
  /** A Kysely instance on SQLite or PostgreSQL. A transaction of the caller's is used as it is. */
  readonly db: AnyKysely
  readonly resources: M
  /** Default: 10,000 array elements and 64 levels of a body, 32 MiB of an answer. */
  readonly limits?: Partial<StoreLimits>
}

/** What a store does for each request besides. Default: nothing. */
export interface StoreExtras extends Partial<Pick<WriteParts, 'rules' | 'errors' | 'end' | 'afterCommits'>> {
  /** Those of a store that differs in its connection only. Default: they are compiled anew. */
  readonly statements?: Statements | undefined
  /** Is told of values that answers leave out. Default: nobody is. */
  readonly noteUnshown?: NoteUnshown | undefined
  /** What is compiled for stores that differ in their database only. Default: nothing yet. */
  readonly kept?: KeptStatements | undefined
  /** What callers may do with which rows. Default: everything. */
  readonly rights?: Rights | undefined
  /** Which fields callers may see and set. Default: all. */
  readonly fieldRights?: FieldRights | undefined
  /** How callers are named in the history. Default: they are not. */
  readonly historyOf?: HistoryOf | undefined
  /** Whose records count in a model with tenants. Default: those of the tenant who asks. */
  readonly reach?: Reach
  /** A store that only reads, on a server that another one stands in for: it tries nothing again. Default: `false`. */
  readonly isReplica?: boolean
  /** What PostgreSQL is told of each request. */
  readonly settingsOf?: SettingsOf | undefined
}

/**
 * What another connection has in common with the first: all statements, if they are compiled alike. `afterCommits`:
 * those of another database.
 */
export function extrasIn(
  db: AnyKysely,
  { db: first, model, reach }: QueryContext,
  statements: Statements,
  extras: StoreExtras,
  afterCommits: AfterCommits | undefined = extras.afterCommits,
): StoreExtras {
  if (compilesAlike(first, db) && afterCommits === extras.afterCommits) return { ...extras, statements }
  const { rules } = extras
  const ofOther =
    rules && rulesIn(rules, queryContext(db, { model, reach }), { afterCommits: afterCommits ?? rules.afterCommits })
  return { ...extras, rules: ofOther, afterCommits, statements: undefined }
}

/** The most bytes of an answer. */
export function maxAnswerOf({ maxAnswer = DEFAULT_LIMITS.maxAnswer }: Partial<StoreLimits> = {}): number {
  if (Number.isSafeInteger(maxAnswer) && maxAnswer >= 1 && maxAnswer <= HIGHEST_MAX_ANSWER) return maxAnswer
  throw new TypeError(`limits.maxAnswer: must be an integer from 1 to ${HIGHEST_MAX_ANSWER} (bytes)`)
}
