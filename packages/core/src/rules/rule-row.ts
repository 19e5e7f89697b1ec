import type { KnowsMany, NeedsMany, OwnedBy, RelationDeclaration, Relations } from '../model/descriptors/relations.ts'
import type { Model } from '../model/model.ts'
import type { IdOf, TargetId } from '../model/types/id-types.ts'
import type { ForeignKeys } from '../model/types/record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf, ResourceKey } from '../model/types/resource-keys.ts'
import type { FieldValues, Flat, HasDbDefault } from '../model/types/value-type.ts'
import type { Fields } from '../model/values/schema-facts.ts'

/** A row as rules see it: its id, fields, foreign keys (its owner's too), and the ids of its links. */
export type RuleRow<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> = Flat<
  { readonly id: IdOf<M['descriptors'], M['descriptors'][K]> } & Readonly<ValuesOf<M['descriptors'], K>>
>

/** A row as rules see it before it is written: the id of a new row is not known. */
export type PlannedRuleRow<M extends Model, K extends ResourceKey<M>> = Flat<
  { readonly id: IdOf<M['descriptors'], M['descriptors'][K]> | undefined } & Readonly<
    PlannedValues<FieldsOf<M['descriptors'][K]>>
  > &
    Readonly<KeysOf<M['descriptors'], K>>
>

type ValuesOf<D extends Model['descriptors'], K extends KeyOf<D>> = FieldValues<FieldsOf<D[K]>> & KeysOf<D, K>

/** The values that `set` can give: no foreign key of an owner, and no links. */
export type MembersOf<D extends Model['descriptors'], K extends KeyOf<D>> = FieldValues<FieldsOf<D[K]>> &
  ForeignKeys<D, RelationsOf<D[K]>>

/** The fields of a row before the database has given a new row its values. */
type PlannedValues<F extends Fields> = {
  -readonly [N in keyof F]: FieldValues<F>[N] | (HasDbDefault<F[N]> extends true ? undefined : never)
}

type KeysOf<D extends Model['descriptors'], K extends KeyOf<D>> = ForeignKeys<D, RelationsOf<D[K]>> &
  OwnerKeys<D, RelationsOf<D[K]>> &
  LinkIds<D, RelationsOf<D[K]>>

/** The foreign keys of owners. */
type OwnerKeys<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as OwnerKeyName<N, S[N]>]: TargetId<D, S[N]> | null
}

type OwnerKeyName<N extends PropertyKey, R extends RelationDeclaration> =
  R extends OwnedBy<string, boolean, infer ForeignKey>
    ? [ForeignKey] extends [never]
      ? `${N & string}Id`
      : ForeignKey
    : never

export type LinkIds<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as S[N] extends NeedsMany | KnowsMany ? N : never]: readonly TargetId<D, S[N]>[]
}

/** The owner of a row, of whichever resource it is; null where the row may have none. Its parts are null where it is
 * new, or removed. */
export type RuleOwner<M extends Model, K extends ResourceKey<M>> = OwnerOf<M, K, 'written'>

/** The owner of a row, before the write. */
export type PlannedRuleOwner<M extends Model, K extends ResourceKey<M>> = OwnerOf<M, K, 'planned'>

type OwnerOf<M extends Model, K extends ResourceKey<M>, Is extends 'written' | 'planned'> =
  | OwnerRow<M, OwnerResource<M['descriptors'], K> & ResourceKey<M>, Is>
  | (OwnerMayBeMissing<RelationsOf<M['descriptors'][K]>> extends false ? never : null)

type OwnerRow<M extends Model, O extends ResourceKey<M>, Is> =
  O extends ResourceKey<M>
    ? {
        readonly before: RuleRow<M, O> | null
        readonly after: (Is extends 'planned' ? PlannedRuleRow<M, O> : RuleRow<M, O>) | null
      }
    : never

/** The resources of which one owns a row. */
type OwnerResource<D extends Model['descriptors'], K extends KeyOf<D>> = string extends keyof D
  ? string
  : OwnersIn<RelationsOf<D[K]>>[keyof OwnersIn<RelationsOf<D[K]>>]

type OwnersIn<S extends Relations> = {
  [N in keyof S as S[N] extends OwnedBy ? N : never]: S[N] extends OwnedBy<infer Target> ? Target : never
}

/** False if each row has an owner. */
type OwnerMayBeMissing<S extends Relations> = keyof OwnersIn<S> extends never
  ? true
  : true extends {
        [N in keyof OwnersIn<S>]: S[N] extends OwnedBy<string, infer Optional> ? Optional : never
      }[keyof OwnersIn<S>]
    ? true
    : false
