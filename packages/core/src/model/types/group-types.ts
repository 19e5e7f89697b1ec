import type { Descriptors } from '../descriptors/descriptors.ts'
import type { Model } from '../model.ts'
import type { PathValue, SinglePath } from './query-types.ts'
import type { KeyOf, ResourceKey } from './resource-keys.ts'

/** What the records of a group have in common: a value, or a part of a date or moment. */
export type GroupKeyName<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = KeyNameIn<
  M['descriptors'],
  K
>

type KeyNameIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? string
  : SinglePath<D, K> | `${DatePart}(${SinglePath<D, K>})`

/** What is computed over the records of a group. */
export type GroupValueName<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = ValueNameIn<
  M['descriptors'],
  K
>

type ValueNameIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? string
  : 'count()' | `${'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'}(${SinglePath<D, K>})`

type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day'

/** A group, by the names of its keys and values. */
export type GroupOf<M extends Model, K extends ResourceKey<M>, B extends string, V extends string> = {
  [N in B | V]: N extends B ? KeyIn<M['descriptors'], K, N> : ValueIn<M['descriptors'], K, N>
}

type KeyIn<D extends Descriptors, K extends KeyOf<D>, N extends string> = N extends `${DatePart}(${string})`
  ? string | null
  : PathValue<D, K, N> | null

type ValueIn<D extends Descriptors, K extends KeyOf<D>, N extends string> = N extends `${infer Word}(${infer P})`
  ? Word extends 'count' | 'countDistinct'
    ? number
    : Word extends 'sum' | 'avg'
      ? Sum<PathValue<D, K, P>> | null
      : PathValue<D, K, P> | null
  : never

/** Of integers and decimals a text, of other numbers a number: which of them a number is, its type does not tell. */
type Sum<V> = [V] extends [string] ? string : string | number
