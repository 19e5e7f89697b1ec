import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { Relations, ShownRelation } from '../descriptors/relation-kinds.ts'
import type { NeedsOne, OwnsOne, RelationDeclaration } from '../descriptors/relations.ts'
import type { ComputedSummary, ComputedValues } from './computed-types.ts'
import type { ShownValues, SummaryValues } from './field-types.ts'
import type { ForeignKeyName, IdEntry, IdOf, ShortIdOf, TargetId } from './id-types.ts'
import type { FieldsOf, IsCarried, KeyOf, OfDescriptors, RelationsOf, ResourceKey } from './resource-keys.ts'
import type { At, Place } from './top-level-types.ts'
import type { Flat } from './value-type.ts'

/**
 * A record as it is read: `id`, the fields (null where there is no value), the foreign keys of `needs.one` and
 * `knows.one`, the related records: what it owns in full, what it needs or knows with its plain fields, and computed fields. With
 * `defaultInclude`, only the relations that it names are there.
 *
 * A field that is `writeOnly` is not in it, one with `summary: false` is not in related records, and one that only some callers
 * see (`access.View`) may be missing. The schema's type has to show that option: `field(Type.String(), { writeOnly: true })`
 * does. TypeBox leaves options out of its types.
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
          RelatedRecords<D, D[K], RelationsOf<D[K]>> &
          ComputedValues<D, D[K]>
      >
    : never

/** What is shown of a related record that is not owned: `id`, plain fields and computed ones. */
export type PlainRecord<D extends Descriptors, R extends ResourceDescriptor> = Flat<
  IdEntry<IdOf<D, R>> & SummaryValues<FieldsOf<R>> & ComputedSummary<D, R>
>

/** The foreign keys of `needs.one` and `knows.one`. */
export type ForeignKeys<D extends Descriptors, S extends Relations> = {
  -readonly [N in keyof S as ForeignKeyName<N, S[N]>]: TargetId<D, S[N]> | (S[N] extends RequiredNeed ? never : null)
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
