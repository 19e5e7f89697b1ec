import type { Fields } from './resource-keys.ts'
import type { IsOptional, ValueOf } from './value-type.ts'

/** The values of fields, null where there is no value. */
export type FieldValues<F extends Fields> = { -readonly [N in keyof F]: FieldValue<F[N]> }

/** Without those of write-only fields, which no record shows. */
export type ShownValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'writeOnly'> extends true ? never : N]: FieldValue<F[N]>
}

/** What other records show of a record's fields. */
export type SummaryValues<F extends Fields> = {
  -readonly [N in keyof F as IsInSummary<F[N]> extends true ? N : never]: FieldValue<F[N]>
}

/** What POST and PATCH may set. A read-only field must not be there. */
export type SettableValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? never : N]: FieldValue<F[N]>
} & { -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? N : never]?: never }

type FieldValue<S> = IsOptional<S> extends true ? ValueOf<S> | null : ValueOf<S>

// A schema's type may tell only that an option is there: `boolean`. Nobody writes one that changes nothing, so it is taken as set.

/** Whether a schema's type shows that the option is set. */
export type IsSet<S, Option extends 'readOnly' | 'writeOnly'> = S extends { readonly [O in Option]: false }
  ? false
  : S extends { readonly [O in Option]: boolean }
    ? true
    : false

type IsInSummary<S> =
  IsSet<S, 'writeOnly'> extends true
    ? false
    : S extends { readonly summary: true }
      ? true
      : S extends { readonly summary: boolean }
        ? false
        : true
