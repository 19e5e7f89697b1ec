import type { Relations } from '../model/descriptors/relation-kinds.ts'
import type { KnowsMany, NeedsMany, OwnsMany, OwnsOne } from '../model/descriptors/relations.ts'
import type { Model } from '../model/model.ts'
import type { ComputedValues } from '../model/types/computed-types.ts'
import type { FieldValues } from '../model/types/field-types.ts'
import type { IdOf, TargetId } from '../model/types/id-types.ts'
import type { ForeignKeys, NullIfNone } from '../model/types/record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf, ResourceKey } from '../model/types/resource-keys.ts'
import type { Flat } from '../model/types/value-type.ts'

/** All that an invariant can read of a record: whether the record carries it by default or not, write-only fields and computed ones, too. */
export type RecordRead<M extends Model, K extends ResourceKey<M>> = ReadIn<M['descriptors'], K>

type ReadIn<D extends Model['descriptors'], K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<
        { id: IdOf<D, D[K]> } & FieldValues<FieldsOf<D[K]>> &
          ForeignKeys<D, RelationsOf<D[K]>> &
          OwnedRecords<D, RelationsOf<D[K]>> &
          LinkedIds<D, RelationsOf<D[K]>> &
          Required<ComputedValues<D, D[K]>>
      >
    : never

type OwnedRecords<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as S[N] extends OwnsOne | OwnsMany ? N : never]: S[N] extends OwnsMany
    ? ReadIn<D, S[N]['target']>[]
    : ReadIn<D, S[N]['target']> | NullIfNone<S[N]>
}

type LinkedIds<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as S[N] extends NeedsMany | KnowsMany ? N : never]: { id: TargetId<D, S[N]> }[]
}
