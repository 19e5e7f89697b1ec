import type { Selection } from '../asking/select/selection.ts'
import type { OwnRecords } from '../planning/decide/guarded-rows.ts'
import type { Diff } from '../planning/diff/diff.ts'
import type { RowId } from '../planning/rows.ts'
import type { ReadRecord } from '../rules/rows/tree.ts'

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
   * The ids of all that the record owns, as the database writes them. Undefined where those that the caller may not see make no
   * difference.
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
