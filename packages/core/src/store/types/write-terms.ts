import type { Refusal } from '../../errors.ts'

/** On which terms a write is done. */
export interface WriteTerms {
  /** What has to be true of the record before the write. Default: nothing. */
  readonly precondition?: Precondition | undefined
  /** The most records that the write may add, change or remove, of those that the caller may see. Default: any number. */
  readonly maxAffected?: number | undefined
  /** All of the write is done, and undone at the end: the answer says what it would be. Default: false. */
  readonly rollsBack?: boolean | undefined
  /** The record is read after the write, for the answer. Default: true. */
  readonly readsBack?: boolean | undefined
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
