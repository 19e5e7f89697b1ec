import type { Model } from '../../model/model.ts'
import type { IdOf, ShortIdOf } from '../../model/types/id-types.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { At, Place } from '../../model/types/top-level-types.ts'

/** An id as the collections of a resource have it. */
export type CollectionId<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = P extends 'top'
  ? IdOf<M['descriptors'], M['descriptors'][K]>
  : ShortIdOf<M['descriptors'], M['descriptors'][K]>

/** What is read. */
export type Shown<M extends Model, K extends ResourceKey<M>, P extends Place, R> = At<
  M['descriptors'],
  K,
  P,
  R,
  'record'
>
