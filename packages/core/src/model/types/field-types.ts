import type { Fields } from '../descriptors/json-schema.ts'
import type { FieldAccess } from '../values/described-value.ts'
import type { IsOptional, ValueOf } from './value-type.ts'

/** The values of fields, null where there is no value. */
export type FieldValues<F extends Fields> = { -readonly [N in keyof F]: FieldValue<F[N]> }

/** Without those of write-only fields, which no record shows. A field that only some callers see may be missing. */
export type ShownValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'writeOnly'> extends true ? never : WhereAlwaysSeen<N, F[N]>]: FieldValue<F[N]>
} & {
  -readonly [N in keyof F as IsSet<F[N], 'writeOnly'> extends true ? never : WhereSometimesSeen<N, F[N]>]?: FieldValue<
    F[N]
  >
}

/** What other records show of a record's fields. */
export type SummaryValues<F extends Fields> = {
  -readonly [N in keyof F as IsInSummary<F[N]> extends true ? WhereAlwaysSeen<N, F[N]> : never]: FieldValue<F[N]>
} & {
  -readonly [N in keyof F as IsInSummary<F[N]> extends true ? WhereSometimesSeen<N, F[N]> : never]?: FieldValue<F[N]>
}

type WhereAlwaysSeen<N, S> = IsLimited<S, 'View'> extends true ? never : N
type WhereSometimesSeen<N, S> = IsLimited<S, 'View'> extends true ? N : never

/** What POST and PATCH may set. A read-only field must not be there. */
export type SettableValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? never : N]: FieldValue<F[N]>
} & { -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? N : never]?: never }

/** Whether a schema's type shows that the database gives the value. */
export type HasDbDefault<S> = S extends { readonly default: symbol } ? true : false

/** The value of a field of this schema. */
export type FieldValue<S> = IsOptional<S> extends true ? ValueOf<S> | null : ValueOf<S>

// A schema's type may tell only that an option is there: `boolean`. Nobody writes one that changes nothing, so it is taken as set.

/** Whether a schema's type shows that the option is set. */
export type IsSet<S, Option extends 'readOnly' | 'writeOnly'> = S extends { readonly [O in Option]: false }
  ? false
  : S extends { readonly [O in Option]: boolean }
    ? true
    : false

/** Whether a schema's type shows that only callers with some roles may see the field, or set it. */
export type IsLimited<S, Action extends keyof FieldAccess> = S extends { readonly access: infer Access }
  ? Action extends keyof Access
    ? true
    : false
  : false

/** Whether a schema's type shows that summaries have the field. */
export type IsInSummary<S> =
  IsSet<S, 'writeOnly'> extends true
    ? false
    : S extends { readonly summary: true }
      ? true
      : S extends { readonly summary: boolean }
        ? false
        : true
