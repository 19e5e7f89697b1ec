import type { Diff } from '../../plan/diff/diff.ts'
import type { RecordData, RowId } from '../../plan/rows.ts'
import type { Selection } from '../../reading/select/selection.ts'

/** What a write finds, compared with its body. */
export interface Current {
  readonly diff: Diff
  /** The record that the answer shows; undefined if it will be gone. */
  readonly result: RowId | undefined
  /** The record as the database writes it; undefined if there is none, or if it was not read as a whole. */
  readonly record: string | undefined
  /** What a PUT or PATCH is planned from. */
  readonly basis: Basis | undefined
  /**
   * The ids of all that the record owns, as the database writes them. Undefined where those that the caller may not see make no
   * difference.
   */
  readonly unreadIds: string | undefined
  /** How many records that the caller may see are added, changed or removed; 0 without a limit to them. */
  readonly affected: number
  /** The record that was read, for rules. Undefined for a new one, and where no rule runs for the write. */
  readonly data?: RecordData | undefined
}

/** A record in part or whole, as the database writes it. */
export interface Basis {
  readonly selection: Selection
  readonly json: string
}
