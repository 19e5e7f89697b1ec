import type { Count } from '../../asking/scope.ts'
import type { Model } from '../../model/model.ts'
import type { GroupKeyName, GroupValueName } from '../../model/types/group-types.ts'
import type { Filter } from '../../model/types/query-types.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { Page } from './read-options.ts'

/**
 * Which groups there are, and what they have. `B` and `V` are the names in `by` and `values`.
 *
 * @example
 * const { rows } = await store.book.group({ by: ['publisher.name'], values: ['count()'], having: { 'count()': { gte: 2 } } })
 */
export interface GroupOptions<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  B extends GroupKeyName<M, K> = GroupKeyName<M, K>,
  V extends GroupValueName<M, K> = GroupValueName<M, K>,
> extends Page {
  /** What the records of a group have in common: at most 4 names. Default: nothing, so there is one group of all. */
  readonly by?: readonly B[]
  /** What is computed over the records of a group: at most 20 names. Default: `['count()']`. */
  readonly values?: readonly V[]
  /** Default: all records are grouped. */
  readonly filter?: Filter<M, K>
  /** Which groups there are, by their values: a filter over names in `values`. */
  readonly having?: Having<NoInfer<V>>
  /** At most 5 of the names in `by` and `values`, descending with `-`; groups without a value come last. Default: by
   * `by`. */
  readonly sort?: readonly NoInfer<B | V | `-${B | V}`>[]
  /** How to count the groups. Default: `limits.count`. */
  readonly count?: Count | undefined
  /** The zone in which moments have a year, a month and a day, such as `'Europe/Vienna'`. Default: UTC. */
  readonly timeZone?: string
}

type Having<V extends string> = { readonly [N in V]?: unknown } & {
  readonly and?: readonly Having<V>[]
  readonly or?: readonly Having<V>[]
  readonly not?: Having<V>
}

/** A page of groups, and how many there are on all pages. */
export interface Grouping<G> {
  rows: G[]
  /** Not with `count: 'none'`. */
  count?: number
  /** Whether there are more groups than `count`. */
  countIs?: 'atLeast'
}
