import type { Descriptors } from '../descriptors/descriptors.ts'
import type { ManyKind, ShownRelation } from '../descriptors/relations.ts'
import type { Model } from '../model.ts'
import type { CountedPath, Filter, NameOfRelation, PathTarget, SortName, Target, ValueName } from './query-types.ts'
import type { IsCarried, KeyOf, ResourceKey } from './resource-keys.ts'

/**
 * What `fields` may name: a field, a foreign key, `id`, a relation, each of them behind up to two relations, or the
 * number of records behind a relation.
 *
 * @example
 * const names: FieldName<typeof resources, 'book'>[] = ['title', 'publisher.name', 'chapters', 'count(authors)']
 */
export type FieldName<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = FieldNameIn<
  M['descriptors'],
  K
>

type FieldNameIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? string
  : FieldPath<D, K> | `count(${CountedPath<D, K>})`

type FieldPath<D extends Descriptors, K extends KeyOf<D>> =
  | NameIn<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${FieldPathOfOne<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type FieldPathOfOne<D extends Descriptors, K extends KeyOf<D>> =
  | NameIn<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${NameIn<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type NameIn<D extends Descriptors, K extends KeyOf<D>> = ValueName<D, K> | NameOfRelation<D, K>

/**
 * What `include` may name: a relation, also behind up to two others, or with `-` one that a record carries by itself.
 *
 * @example
 * const names: IncludeName<typeof resources, 'publisher'>[] = ['books', 'books.authors']
 */
export type IncludeName<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = IncludeNameIn<
  M['descriptors'],
  K
>

type IncludeNameIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? string
  : RelationPath<D, K> | `-${CarriedPath<D, K>}`

/** Paths of up to three relations. */
type RelationPath<D extends Descriptors, K extends KeyOf<D>> =
  | NameOfRelation<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${RelationPathOfTwo<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type RelationPathOfTwo<D extends Descriptors, K extends KeyOf<D>> =
  | NameOfRelation<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${NameOfRelation<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

/** What a record carries, and what those carry that it owns. */
type CarriedPath<D extends Descriptors, K extends KeyOf<D>> =
  | CarriedName<D, K>
  | { [N in OwnsName<D, K>]: `${N}.${CarriedPathOfTwo<D, Target<D, K, N>>}` }[OwnsName<D, K>]

type CarriedPathOfTwo<D extends Descriptors, K extends KeyOf<D>> =
  | CarriedName<D, K>
  | { [N in OwnsName<D, K>]: `${N}.${CarriedName<D, Target<D, K, N>>}` }[OwnsName<D, K>]

type OwnsName<D extends Descriptors, K extends KeyOf<D>> = NameOfRelation<D, K, 'owns.one' | 'owns.many'>

/** The relations that a whole record shows. */
export type CarriedName<D extends Descriptors, K extends KeyOf<D>> = {
  [N in NameOfRelation<D, K, ShownRelation>]: IsCarried<D[K], N> extends true ? N : never
}[NameOfRelation<D, K, ShownRelation>]

/** Which records nested arrays have, by the paths to them. */
export type Nested<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> =
  string extends ResourceKey<M> ? { readonly [path: string]: NestedRows<M, K> } : NestedIn<M, K>

type NestedIn<M extends Model, K extends ResourceKey<M>> = {
  readonly [P in ArrayPath<M['descriptors'], K>]?: NestedRows<M, PathTarget<M['descriptors'], K, P>>
}

/** Paths to arrays, of up to three relations. */
type ArrayPath<D extends Descriptors, K extends KeyOf<D>> =
  | ManyName<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${ArrayPathOfTwo<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type ArrayPathOfTwo<D extends Descriptors, K extends KeyOf<D>> =
  | ManyName<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${ManyName<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type ManyName<D extends Descriptors, K extends KeyOf<D>> = NameOfRelation<D, K, ManyKind>

/** Which records a nested array has, and in which order. */
export interface NestedRows<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> {
  /** How many at most, from 1 to `limits.maxNested`. Default: 20 of those that the query adds, all of those that a
   * record carries. */
  readonly limit?: number
  /** Default: by id. */
  readonly sort?: readonly SortName<M, K>[]
  /** Default: all records. */
  readonly filter?: Filter<M, K>
}
