import type { Descriptors } from '../descriptors/descriptors.ts'
import type { AnyKind, ManyKind, OneKind, Relations } from '../descriptors/relations.ts'
import type { Model } from '../model.ts'
import type { IdEntry, IdOf, ShortIdOf } from './id-types.ts'
import type { ComputedValues, ForeignKeys, MovingKeys, ValuesOfOwners } from './record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf, ResourceKey } from './resource-keys.ts'
import type { ShownValues } from './value-type.ts'

/**
 * Which records a list has: conditions on fields, foreign keys and `id`, by name or through relations
 * (`publisher.name`), all of which must hold. `and`, `or`, `not` join filters; `some`, `every`, `none` are about the
 * records of one relation.
 *
 * The type knows paths of up to two relations.
 *
 * @example
 * const filter: Filter<typeof resources, 'book'> = { price: { gte: 10 }, 'publisher.name': 'Ink', tags: { some: { name: 'new' } } }
 */
export type Filter<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = FilterIn<M['descriptors'], K>

type FilterIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? { readonly [path: string]: unknown }
  : K extends KeyOf<D>
    ? { readonly [P in ValuePath<D, K>]?: ValueCondition<PathValue<D, K, P>> } & {
        readonly [P in ManyPath<D, K>]?: Quantified<D, K, P>
      } & {
        readonly and?: readonly FilterIn<D, K>[]
        readonly or?: readonly FilterIn<D, K>[]
        readonly not?: FilterIn<D, K>
      }
    : never

/** The words of a search: of a resource without search fields, there are none. */
export type SearchText<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = SearchTextIn<
  M['descriptors'],
  K
>

type SearchTextIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D
  ? string
  : D[K] extends { readonly search: object }
    ? string
    : never

/** A sort key: a value, descending with `-`, the lower case of a text, or the number of records behind a relation. */
export type SortName<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = SortNameIn<
  M['descriptors'],
  K
>

type SortNameIn<D extends Descriptors, K extends KeyOf<D>> = string extends keyof D ? string : Directed<SortedBy<D, K>>

type Directed<Name extends string> = Name | `-${Name}`

type SortedBy<D extends Descriptors, K extends KeyOf<D>> =
  | SinglePath<D, K>
  | `lower(${SinglePath<D, K>})`
  | `count(${CountedPath<D, K>})`

/** A value, or what it is compared with by each operator. */
export type ValueCondition<V> = [V] extends [readonly (infer Element)[]] ? ListOperators<Element> : V | Operators<V>

interface ListOperators<Element> {
  /** One of the elements. */
  readonly has?: Extract<Element, string | number | boolean>
  readonly null?: boolean
}

interface Operators<V> {
  readonly eq?: V
  readonly ne?: V
  readonly lt?: V
  readonly lte?: V
  readonly gt?: V
  readonly gte?: V
  readonly in?: readonly V[]
  readonly nin?: readonly V[]
  readonly contains?: V & string
  readonly startsWith?: V & string
  readonly endsWith?: V & string
  readonly icontains?: V & string
  readonly istartsWith?: V & string
  readonly iendsWith?: V & string
  readonly null?: boolean
}

interface Quantified<D extends Descriptors, K extends KeyOf<D>, P extends string> {
  readonly some?: FilterIn<D, PathTarget<D, K, P>>
  readonly every?: FilterIn<D, PathTarget<D, K, P>>
  readonly none?: FilterIn<D, PathTarget<D, K, P>>
}

/** Paths to values, through up to two relations. */
type ValuePath<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${ValuePathOfOne<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

type ValuePathOfOne<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in NameOfRelation<D, K>]: `${N}.${ValueOrJson<D, Target<D, K, N>>}` }[NameOfRelation<D, K>]

/** The same through relations to one record each. */
export type SinglePath<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in NameOfRelation<D, K, OneKind>]: `${N}.${SinglePathOfOne<D, Target<D, K, N>>}` }[NameOfRelation<
      D,
      K,
      OneKind
    >]

type SinglePathOfOne<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in NameOfRelation<D, K, OneKind>]: `${N}.${ValueOrJson<D, Target<D, K, N>>}` }[NameOfRelation<D, K, OneKind>]

/** A value's name, or a path into a JSON field. */
type ValueOrJson<D extends Descriptors, K extends KeyOf<D>> = {
  [N in ValueName<D, K>]: N | (IsJson<Values<D, K>[N]> extends true ? `${N}.${string}` : never)
}[ValueName<D, K>]

type IsJson<V> = unknown extends V ? true : NonNullable<V> extends object ? true : false

/** The type of the value at the end of a path. */
export type PathValue<D extends Descriptors, K extends KeyOf<D>, P extends string> =
  P extends ValueName<D, K>
    ? NonNullable<Values<D, K>[P]>
    : P extends `${infer Head}.${infer Rest}`
      ? Head extends NameOfRelation<D, K>
        ? PathValue<D, Target<D, K, Head>, Rest>
        : string | number | boolean
      : never

/** The single values of a record, by name. */
export type Values<D extends Descriptors, K extends KeyOf<D>> = IdEntry<IdOf<D, D[K]> | ShortIdOf<D, D[K]>> &
  ShownValues<FieldsOf<D[K]>> &
  ForeignKeys<D, RelationsOf<D[K]>> &
  MovingKeys<D, RelationsOf<D[K]>> &
  ValuesOfOwners<D, D[K]> &
  ComputedValues<D, D[K]>

export type ValueName<D extends Descriptors, K extends KeyOf<D>> = keyof Values<D, K> & string

/** The names of relations of some kinds, such as those to several records. */
export type NameOfRelation<D extends Descriptors, K extends KeyOf<D>, Kinds extends string = AnyKind> = NameOfKind<
  RelationsOf<D[K]>,
  Kinds
>

type NameOfKind<S extends Relations, Kinds extends string> = keyof {
  [N in keyof S as S[N]['relation'] extends Kinds ? N : never]: never
} &
  string

/** The key of the resource at the other end of a relation. */
export type Target<D extends Descriptors, K extends KeyOf<D>, N extends string> = TargetIn<RelationsOf<D[K]>, N> &
  KeyOf<D>

type TargetIn<S extends Relations, N extends string> = N extends keyof S ? S[N]['target'] : never

/** The key of the resource to which a path of relations leads. */
export type PathTarget<
  D extends Descriptors,
  K extends KeyOf<D>,
  P extends string,
> = P extends `${infer Head}.${infer Rest}` ? PathTarget<D, Target<D, K, Head>, Rest> : Target<D, K, P>

/** Paths to a relation to several records, through up to one other. */
type ManyPath<D extends Descriptors, K extends KeyOf<D>> =
  | NameOfRelation<D, K, ManyKind>
  | { [N in NameOfRelation<D, K>]: `${N}.${NameOfRelation<D, Target<D, K, N>, ManyKind>}` }[NameOfRelation<D, K>]

/** Those that lead through relations to one record only: their records can be counted. */
export type CountedPath<D extends Descriptors, K extends KeyOf<D>> =
  | NameOfRelation<D, K, ManyKind>
  | { [N in NameOfRelation<D, K, OneKind>]: `${N}.${NameOfRelation<D, Target<D, K, N>, ManyKind>}` }[NameOfRelation<
      D,
      K,
      OneKind
    >]
