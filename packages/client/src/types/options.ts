import type { CollectionId, Filter, Id, Model, Place, ResourceKey } from '@fastify-crud/core/types'
import type { RequestOptions } from '../transport.ts'

/** How a write is done. */
export interface ClientWriteOptions extends RequestOptions {
  /** All of it is done, checked and undone at the end: it resolves to what the result would be. Default: false. */
  readonly dryRun?: boolean
}

export interface ClientCreateOptions<I extends Id = Id> extends ClientWriteOptions {
  /** The new record's id, instead of one that the service assigns. */
  readonly id?: I
}

/** How a write names records by values of theirs. */
export interface ByUniqueKey {
  /** The names of a unique key. */
  readonly by: readonly string[]
}

/** Which records of a list a write means. */
export interface MatchingRecords<M extends Model, K extends ResourceKey<M>> {
  readonly filter: Filter<M, K>
  /** The most records that the write may add, change or remove: if there are more, it does nothing. */
  readonly maxAffected: number
}

/** What a write is for: a record as it was read, which nobody may have changed since, or an id, whatever its state
 * is. */
export type TargetOfWrite<M extends Model, K extends ResourceKey<M>, P extends Place> =
  | CollectionId<M, K, P>
  | { readonly id: CollectionId<M, K, P>; readonly $etag: string }
