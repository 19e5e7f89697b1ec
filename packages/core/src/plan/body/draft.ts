import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import type { MemberValues } from '../diff/member-values.ts'

/**
 * A body that fits its resource: every property is known and of the right type, defaults are filled in. What it means
 * for the relations is spelled out: in `create` and `replace` every relation is there, in `patch` only those that the
 * body names; of others it is undefined.
 */
export interface Draft {
  readonly resource: Resource
  /** What the body asks for this record: an element without an id is created, whatever is done to its owner. */
  readonly operation: BodyOperation
  /** JSON pointer of this object in the request's body. */
  readonly pointer: string
  /** The `id` that the body carries. */
  readonly id: Id | undefined
  readonly values: MemberValues
  /** By the position of the relation: one record or none, or many. */
  readonly owned: readonly (Draft | null | readonly Draft[] | undefined)[]
  /** By the position of the link. */
  readonly links: readonly (readonly LinkElement[] | undefined)[]
  /** The object itself, for the one case that is decided later: a child that is created as there is none to change. */
  readonly body: Readonly<Record<string, unknown>>
}

/** A draft whose lists are being filled. */
export interface MutableDraft extends Draft {
  id: Id | undefined
  readonly values: unknown[]
  readonly owned: Draft['owned'][number][]
  readonly links: Draft['links'][number][]
  body: Draft['body']
}

/** One element of a `needs.many` or `knows.many` array. */
export interface LinkElement {
  readonly id: Id
  readonly pointer: string
}
