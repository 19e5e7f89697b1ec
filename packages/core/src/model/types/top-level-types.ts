import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { Relations } from '../descriptors/relation-kinds.ts'
import type { OwnedBy } from '../descriptors/relations.ts'
import type { IdOf, KeyName, TargetId } from './id-types.ts'
import type { KeyOf, RelationsOf } from './resource-keys.ts'
import type { Flat } from './value-type.ts'

/** Where records of a resource are reached: below their owners, or at the top, without naming these. */
export type Place = 'owner' | 'top'

/** A record or a body as it is below the owner (`Below`), or at the top, where it has the whole id and the foreign keys of owners. */
export type At<
  D extends Descriptors,
  K extends KeyOf<D>,
  P extends Place,
  Below,
  Keys extends keyof KeysIn<D, K>,
> = P extends 'top'
  ? Below extends unknown
    ? Flat<WithWholeId<Below, IdOf<D, D[K]>> & KeysIn<D, K>[Keys]>
    : never
  : Below

/** The foreign keys of owners, as a record or a body has them. */
interface KeysIn<D extends Descriptors, K extends KeyOf<D>> {
  record: OwnerKeys<D, RelationsOf<D[K]>>
  /** Of several, one names the owner. */
  create: IsUnion<OwnerName<RelationsOf<D[K]>>> extends true
    ? Partial<OwnerKeys<D, RelationsOf<D[K]>>>
    : OwnerKeys<D, RelationsOf<D[K]>>
  /** They may be repeated, and never change. */
  update: Partial<OwnerKeys<D, RelationsOf<D[K]>>>
}

type WithWholeId<Below, I> = {
  [N in keyof Below]: N extends 'id' ? (Below[N] extends undefined ? Below[N] : WithUndefined<Below[N], I>) : Below[N]
}

type WithUndefined<Old, I> = undefined extends Old ? I | undefined : I

type OwnerKeys<D extends Descriptors, S extends Relations> = {
  -readonly [N in keyof S as S[N] extends OwnedBy ? KeyName<N, S[N]> : never]:
    | TargetId<D, S[N]>
    | (IsUnion<OwnerName<S>> extends true ? null : never)
}

type OwnerName<S extends Relations> = keyof { [N in keyof S as S[N] extends OwnedBy ? N : never]: never }

type IsUnion<T, Whole = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [Whole] extends [T]
      ? false
      : true
    : never

/** The foreign keys of owners that a record has at the top; nothing for a resource that is only reached below its owners. */
export type ValuesOfOwners<D extends Descriptors, R extends ResourceDescriptor> = R extends { readonly topLevel: true }
  ? OwnerKeys<D, RelationsOf<R>>
  : unknown
