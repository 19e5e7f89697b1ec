import type { Descriptors } from './descriptors.ts'
import type { ShownValues } from './field-types.ts'
import type { Id } from './ids.ts'
import type { Model } from './model.ts'
import type { ForeignKeys } from './record-type.ts'
import type { RelationDeclaration } from './relations.ts'
import type { FieldsOf, KeyOf, Relations, RelationsOf, ResourceKey } from './resource-keys.ts'

/**
 * Which records a list has: conditions on fields, foreign keys and `id`, by name or through relations (`publisher.name`), all of
 * which must hold. `and`, `or`, `not` join filters; `some`, `every`, `none` are about the records of one relation.
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
    ? { readonly [P in ValuePath<D, K>]?: Compared<PathValue<D, K, P>> } & {
        readonly [P in ManyPath<D, K>]?: Quantified<D, K, P>
      } & {
        readonly and?: readonly FilterIn<D, K>[]
        readonly or?: readonly FilterIn<D, K>[]
        readonly not?: FilterIn<D, K>
      }
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
  | `count(${ManyPath<D, K>})`

/** A value, or what it is compared with by each operator. */
type Compared<V> = V | Operators<V>

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
  readonly null?: boolean
}

interface Quantified<D extends Descriptors, K extends KeyOf<D>, P extends string> {
  readonly some?: FilterIn<D, PathTarget<D, K, P>>
  readonly every?: FilterIn<D, PathTarget<D, K, P>>
  readonly none?: FilterIn<D, PathTarget<D, K, P>>
}

/** The single values of a record, by name. */
type Values<D extends Descriptors, K extends KeyOf<D>> = { id: Id } & ShownValues<FieldsOf<D[K]>> &
  ForeignKeys<RelationsOf<D[K]>>

type ValueName<D extends Descriptors, K extends KeyOf<D>> = keyof Values<D, K> & string

/** The names of relations, of those to one record or to several. */
type RelationName<D extends Descriptors, K extends KeyOf<D>, Kinds extends string> = NameOfKind<
  RelationsOf<D[K]>,
  Kinds
>

type NameOfKind<S extends Relations, Kinds extends string> = keyof {
  [N in keyof S as S[N]['relation'] extends Kinds ? N : never]: never
} &
  string

type AnyKind = RelationDeclaration['relation']
type ManyKind = 'owns.many' | 'needs.many' | 'knows.many' | 'neededBy.many'
type OneKind = Exclude<AnyKind, ManyKind>

type Target<D extends Descriptors, K extends KeyOf<D>, N extends string> = TargetIn<RelationsOf<D[K]>, N> & KeyOf<D>

type TargetIn<S extends Relations, N extends string> = N extends keyof S ? S[N]['target'] : never

/** Paths to values, through up to two relations. */
type ValuePath<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in RelationName<D, K, AnyKind>]: `${N}.${ValuePathOfOne<D, Target<D, K, N>>}` }[RelationName<D, K, AnyKind>]

type ValuePathOfOne<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in RelationName<D, K, AnyKind>]: `${N}.${ValueOrJson<D, Target<D, K, N>>}` }[RelationName<D, K, AnyKind>]

/** The same through relations to one record each. */
type SinglePath<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in RelationName<D, K, OneKind>]: `${N}.${SinglePathOfOne<D, Target<D, K, N>>}` }[RelationName<D, K, OneKind>]

type SinglePathOfOne<D extends Descriptors, K extends KeyOf<D>> =
  | ValueOrJson<D, K>
  | { [N in RelationName<D, K, OneKind>]: `${N}.${ValueOrJson<D, Target<D, K, N>>}` }[RelationName<D, K, OneKind>]

/** Paths to a relation to several records. */
type ManyPath<D extends Descriptors, K extends KeyOf<D>> =
  | RelationName<D, K, ManyKind>
  | { [N in RelationName<D, K, AnyKind>]: `${N}.${RelationName<D, Target<D, K, N>, ManyKind>}` }[RelationName<
      D,
      K,
      AnyKind
    >]

/** A value's name, or a path into a JSON field. */
type ValueOrJson<D extends Descriptors, K extends KeyOf<D>> = {
  [N in ValueName<D, K>]: N | (IsJson<Values<D, K>[N]> extends true ? `${N}.${string}` : never)
}[ValueName<D, K>]

type IsJson<V> = unknown extends V ? true : NonNullable<V> extends object ? true : false

type PathValue<D extends Descriptors, K extends KeyOf<D>, P extends string> =
  P extends ValueName<D, K>
    ? NonNullable<Values<D, K>[P]>
    : P extends `${infer Head}.${infer Rest}`
      ? Head extends RelationName<D, K, AnyKind>
        ? PathValue<D, Target<D, K, Head>, Rest>
        : string | number | boolean
      : never

type PathTarget<D extends Descriptors, K extends KeyOf<D>, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? PathTarget<D, Target<D, K, Head>, Rest>
  : Target<D, K, P>
