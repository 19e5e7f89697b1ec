import type { Refusal } from '../errors.ts'

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
  /** By what it is known if the request is sent again. Default: it is a new request each time. Nothing is kept of what is undone. */
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
  /** Equal for the request and its repeats, and for no request of another caller or to another path. The tenant is known besides. */
  readonly key: string
  /** Equal for equal bodies. */
  readonly body: string
  /** Of the answer, if the write is done. */
  readonly status: number
  /** The request is about many records. */
  readonly isMany: boolean
}
