import type { Aggregate, AggregateKind, ComputedDeclaration, ComputedExpression } from '../descriptors/computed.ts'
import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { Relations } from '../descriptors/relation-kinds.ts'
import type { FieldValue, IsInSummary, IsLimited } from './field-types.ts'
import type { FieldsOf, KeyOf, RelationsOf } from './resource-keys.ts'

export type ComputedFields = Readonly<Record<string, ComputedDeclaration>>
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
export type ComputedSummary<D extends Descriptors, R extends ResourceDescriptor> = ValuesIn<
  D,
  R,
  InSummary<ComputedOf<R>>
>

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
  ? At<FieldsOf<D[S[Relation]['target'] & KeyOf<D>]>, Field>
  : unknown

type At<F, Field> = Field extends keyof F ? F[Field] : unknown
