import type { Aggregate, AggregateKind, ComputedDeclaration, ComputedExpression } from '../descriptors/computed.ts'
import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type {
  NeedsOne,
  OwnedBy,
  OwnsOne,
  RelationDeclaration,
  Relations,
  ShownRelation,
} from '../descriptors/relations.ts'
import type { ForeignKeyName, IdEntry, IdOf, KeyName, ShortIdOf, TargetId } from './id-types.ts'
import type { FieldsOf, IsCarried, KeyOf, OfDescriptors, RelationsOf, ResourceKey } from './resource-keys.ts'
import type { FieldValue, Flat, IsInSummary, IsLimited, ShownValues, SummaryValues } from './value-type.ts'

/**
 * A record as it is read: `id`, the fields (null where there is no value), the foreign keys of `needs.one` and
 * `knows.one`, the related records: what it owns in full, what it needs or knows with its plain fields, and computed
 * fields. With `defaultInclude`, only the relations that it names are there.
 *
 * A field that is `writeOnly` is not in it, one with `summary: false` is not in related records, and one that only some
 * callers see (`access.View`) may be missing. The schema's type has to show that option:
 * `field(Type.String(), { writeOnly: true })` does. TypeBox leaves options out of its types.
 *
 * `'top'`: as it is in the lists of all owners, with the foreign keys of these (`topLevel`).
 *
 * @example
 * type Book = RecordOf<typeof resources, 'book'>
 */
export type RecordOf<M extends OfDescriptors, K extends ResourceKey<M>, P extends Place = 'owner'> = At<
  M['descriptors'],
  K,
  P,
  RecordIn<M['descriptors'], K>,
  'record'
>

/** {@link RecordOf}, by the descriptors of a model. */
export type RecordIn<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<
        IdEntry<ShortIdOf<D, D[K]>> &
          ShownValues<FieldsOf<D[K]>> &
          ForeignKeys<D, RelationsOf<D[K]>> &
          MovingKeys<D, RelationsOf<D[K]>> &
          RelatedRecords<D, D[K], RelationsOf<D[K]>> &
          ComputedValues<D, D[K]>
      >
    : never

/** What is shown of a related record that is not owned: `id`, plain fields and computed ones. */
export type PlainRecord<D extends Descriptors, R extends ResourceDescriptor> = Flat<
  IdEntry<IdOf<D, R>> & SummaryValues<FieldsOf<R>> & ComputedSummary<D, R>
>

/** {@link RecordIn} as it was at some moment: without what is computed, and with related records as they are now, if
 * they are there. */
export type RecordThenIn<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<
        IdEntry<ShortIdOf<D, D[K]>> &
          ShownValues<FieldsOf<D[K]>> &
          ForeignKeys<D, RelationsOf<D[K]>> &
          MovingKeys<D, RelationsOf<D[K]>> &
          RelatedThen<D, D[K], RelationsOf<D[K]>>
      >
    : never

type RelatedThen<D extends Descriptors, R extends ResourceDescriptor, S extends Relations> = {
  -readonly [N in keyof RelatedRecords<D, R, S>]: N extends keyof S ? RelationThen<D, S[N]> : never
}

type RelationThen<D extends Descriptors, R extends RelationDeclaration> = R['relation'] extends 'owns.one'
  ? RecordThenIn<D, R['target']> | NullIfNone<R>
  : R['relation'] extends 'owns.many'
    ? RecordThenIn<D, R['target']>[]
    : R['relation'] extends 'needs.one' | 'knows.one'
      ? PlainRecord<D, D[R['target']]> | null
      : PlainRecord<D, D[R['target']]>[]

/** The foreign keys of `needs.one` and `knows.one`. */
export type ForeignKeys<D extends Descriptors, S extends Relations> = {
  -readonly [N in keyof S as ForeignKeyName<N, S[N]>]: TargetId<D, S[N]> | (S[N] extends RequiredNeed ? never : null)
}

/** The foreign keys of owners between which records move. */
export type MovingKeys<D extends Descriptors, S extends Relations> = {
  -readonly [N in keyof S as S[N] extends OwnedBy<string, boolean, string, true> ? KeyName<N, S[N]> : never]:
    | TargetId<D, S[N]>
    | (S[N] extends OwnedBy<string, true> ? null : IsUnion<OwnerName<S>> extends true ? null : never)
}

/** A `needs.one` whose foreign key may not be null. */
export type RequiredNeed = NeedsOne<string, string, false>

type RelatedRecords<D extends Descriptors, R extends ResourceDescriptor, S extends Relations> = {
  -readonly [N in keyof S as S[N]['relation'] extends ShownRelation
    ? IsCarried<R, N> extends true
      ? N
      : never
    : never]: Related<D, S[N]>[S[N]['relation'] & ShownRelation]
}

/** What a relation adds to a record, by its kind. */
interface Related<D extends Descriptors, R extends RelationDeclaration> extends Record<ShownRelation, unknown> {
  'owns.one': RecordIn<D, R['target']> | NullIfNone<R>
  'owns.many': RecordIn<D, R['target']>[]
  'needs.one': PlainRecord<D, D[R['target']]> | NullIfNone<R>
  'needs.many': PlainRecord<D, D[R['target']]>[]
  'knows.one': PlainRecord<D, D[R['target']]> | NullIfNone<R>
  'knows.many': PlainRecord<D, D[R['target']]>[]
}

/** What a record shows where a relation to one record leads to none. */
export type NullIfNone<R extends RelationDeclaration> = R extends RequiredNeed | OwnsOne<string, true> ? never : null

/** Where records of a resource are reached: below their owners, or at the top, without naming these. */
export type Place = 'owner' | 'top'

/** A record or a body as it is below the owner (`Below`), or at the top, where it has the whole id and the foreign keys
 * of owners. */
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
  /** They may be repeated, and only those that move a record change. */
  update: Partial<OwnerKeys<D, RelationsOf<D[K]>>>
}

type WithWholeId<Below, I> = {
  [N in keyof Below]: N extends 'id'
    ? Below[N] extends undefined
      ? Below[N]
      : WithUndefined<Below[N], I>
    : N extends '$before'
      ? WithUndefined<Below[N], I | null>
      : Below[N]
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

/** The foreign keys of owners that a record has at the top; nothing for a resource that is only reached below its
 * owners. */
export type ValuesOfOwners<D extends Descriptors, R extends ResourceDescriptor> = R extends { readonly topLevel: true }
  ? OwnerKeys<D, RelationsOf<R>>
  : unknown

type ComputedFields = Readonly<Record<string, ComputedDeclaration>>
type Nothing = Readonly<Record<never, never>>

/** The computed fields of a descriptor; none, if the descriptor is not known at compile time. */
export type ComputedOf<R extends ResourceDescriptor> = R extends { readonly computed: infer C extends ComputedFields }
  ? C
  : Nothing

/** The values of computed fields. One that only some callers see may be missing. */
export type ComputedValues<D extends Descriptors, R extends ResourceDescriptor> = ValuesIn<D, R, ComputedOf<R>>

type ValuesIn<D extends Descriptors, R extends ResourceDescriptor, C> = {
  -readonly [N in keyof C as MayBeMissing<D, R, C[N]> extends true ? never : N]: ComputedValue<D, R, C[N]>
} & { -readonly [N in keyof C as MayBeMissing<D, R, C[N]> extends true ? N : never]?: ComputedValue<D, R, C[N]> }

/** What other records show of them. */
type ComputedSummary<D extends Descriptors, R extends ResourceDescriptor> = ValuesIn<D, R, InSummary<ComputedOf<R>>>

type InSummary<C extends ComputedFields> = { [N in keyof C as IsInSummary<C[N]> extends true ? N : never]: C[N] }

/** No body sets them. */
export type NothingComputed<R extends ResourceDescriptor> = { [N in keyof ComputedOf<R>]?: never }

type ComputedValue<D extends Descriptors, R extends ResourceDescriptor, C> = C extends ComputedExpression
  ? FieldValue<C['schema']>
  : C extends Aggregate<'count'>
    ? number
    : C extends Aggregate<infer Kind, infer Relation, infer Field>
      ? ValueAtEnd<D, RelationsOf<R>, Relation, Field> | (Kind extends 'sum' ? never : null)
      : never

type ValueAtEnd<D extends Descriptors, S extends Relations, Relation, Field> = NonNullable<
  FieldValue<SchemaAtEnd<D, S, Relation, Field>>
>

/** Whether only some callers see it: as it says itself, or else as the field says. */
type MayBeMissing<D extends Descriptors, R extends ResourceDescriptor, C> = C extends { readonly access: object }
  ? true
  : C extends Aggregate<AggregateKind, infer Relation, infer Field>
    ? IsLimited<SchemaAtEnd<D, RelationsOf<R>, Relation, Field>, 'View'>
    : false

/** The schema of a field of the records at the other end of a relation. */
type SchemaAtEnd<D extends Descriptors, S extends Relations, Relation, Field> = Relation extends keyof S
  ? FieldAt<FieldsOf<D[S[Relation]['target'] & KeyOf<D>]>, Field>
  : unknown

type FieldAt<F, Field> = Field extends keyof F ? F[Field] : unknown
