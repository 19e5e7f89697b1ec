import type { Model, TopKey, WithActions } from '@fastify-crud/core/types'
import type { ServiceModel } from '../service-model.ts'
import type { ClientCollection } from './collections.ts'

/**
 * A service, with a collection for each resource whose records can be reached without naming an owner. `A`: what
 * `defineActions` returned.
 *
 * @example
 * const titles = async (api: Client<typeof resources>) => (await api.book.list()).rows.map(({ title }) => title)
 */
export type Client<M extends Model = Model, A = unknown> = ClientMethods<WithActions<M, A>> & {
  readonly [K in Exclude<TopKey<M>, keyof ClientMethods>]: TopCollection<
    WithActions<M, A>,
    K & TopKey<WithActions<M, A>>
  >
}

export interface ClientMethods<M extends Model = Model> {
  /** The records of the resource with that key, for keys that are not known before the program runs, or that are the
   * name of one of these methods. */
  resource<K extends TopKey<M>>(key: K): TopCollection<M, K>
  /** What the service says of itself to this caller. It is read once. */
  model(): Promise<ServiceModel>
  /** Forgets what the service has said of itself: for another caller, who may see something else. */
  reset(): void
}

/** At the top, an owned resource with `topLevel` has the records of all owners. */
type TopCollection<M extends Model, K extends TopKey<M>> = M['descriptors'][K] extends { readonly topLevel: true }
  ? ClientCollection<M, K, 'top'>
  : ClientCollection<M, K>
