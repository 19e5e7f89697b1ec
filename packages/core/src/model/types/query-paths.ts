import type { Descriptors } from '../descriptors/descriptors.ts'
import type { AnyKind, ManyKind, OneKind, Relations } from '../descriptors/relation-kinds.ts'
import type { ComputedValues } from './computed-types.ts'
import type { ShownValues } from './field-types.ts'
import type { IdEntry, IdOf, ShortIdOf } from './id-types.ts'
import type { ForeignKeys } from './record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf } from './resource-keys.ts'
import type { ValuesOfOwners } from './top-level-types.ts'

/** The single values of a record, by name. */
export type Values<D extends Descriptors, K extends KeyOf<D>> = IdEntry<IdOf<D, D[K]> | ShortIdOf<D, D[K]>> &
  ShownValues<FieldsOf<D[K]>> &
  ForeignKeys<D, RelationsOf<D[K]>> &
  ValuesOfOwners<D, D[K]> &
  ComputedValues<D, D[K]>

export type ValueName<D extends Descriptors, K extends KeyOf<D>> = keyof Values<D, K> & string

/** The names of relations of some kinds, such as those to several records. */
export type RelationName<D extends Descriptors, K extends KeyOf<D>, Kinds extends string = AnyKind> = NameOfKind<
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
export type ManyPath<D extends Descriptors, K extends KeyOf<D>> =
  | RelationName<D, K, ManyKind>
  | { [N in RelationName<D, K>]: `${N}.${RelationName<D, Target<D, K, N>, ManyKind>}` }[RelationName<D, K>]

/** Those that lead through relations to one record only: their records can be counted. */
export type CountedPath<D extends Descriptors, K extends KeyOf<D>> =
  | RelationName<D, K, ManyKind>
  | { [N in RelationName<D, K, OneKind>]: `${N}.${RelationName<D, Target<D, K, N>, ManyKind>}` }[RelationName<
      D,
      K,
      OneKind
    >]
