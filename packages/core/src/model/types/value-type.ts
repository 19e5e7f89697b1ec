import type { FieldAccess } from '../values/field-problems.ts'
import type { Fields, StandardProperties } from '../values/schema-facts.ts'

/**
 * The type of the values that fit a schema. It is inferred from the shape of the schema's type. Types of TypeBox cannot
 * be imported, because TypeBox need not be installed.
 */
export type ValueOf<S> = S extends { static: unknown; params: unknown[] }
  ? (S & { params: [] })['static'] // TypeBox 0.34
  : IsStandard<S> extends true
    ? Exclude<TypesOf<S>['output'], undefined>
    : JsonValueOf<S, Nothing>

/** Whether it is a schema of another library, and not the JSON Schema that `z.toJSONSchema(…)` makes of one. */
export type IsStandard<S> = S extends { '~standard': StandardProperties }
  ? '$schema' extends keyof S
    ? false
    : true
  : false

/** What goes into a schema of another library, and what comes out of it. */
type TypesOf<S> = S extends { '~standard': { types?: infer Types extends InAndOut | undefined } }
  ? NonNullable<Types>
  : InAndOut

interface InAndOut {
  readonly input: unknown
  readonly output: unknown
}

/**
 * Whether a value may be left out and is null then. `Type.Optional(…)` of typebox 1 marks a schema with a name, that of
 * TypeBox 0.34 with a symbol, and in other libraries undefined is a value.
 */
export type IsOptional<S> = S extends { '~optional': true }
  ? true
  : IsStandard<S> extends true
    ? undefined extends TypesOf<S>['output']
      ? true
      : false
    : true extends { [Key in keyof S & symbol]: S[Key] extends 'Optional' ? true : false }[keyof S & symbol]
      ? true
      : false

type Nothing = Record<never, never>
type List = readonly unknown[]

/** For a schema of typebox 1 or one written by hand. `unknown` if the schema's type does not say enough. */
type JsonValueOf<S, Defs> = S extends { nullable: true } ? Fitting<S, Defs> | null : Fitting<S, Defs>

type Fitting<S, Defs> = S extends
  | { '~unsafe': infer Value }
  | { '~standard': { types?: { output: infer Value } | undefined } } // z.toJSONSchema(…)
  ? Value
  : S extends false | { not: Nothing; '~kind': 'Never' }
    ? never
    : S extends { const: infer Value }
      ? Value
      : S extends { enum: readonly (infer Value)[] }
        ? Value
        : S extends { anyOf: infer Branches extends List } | { oneOf: infer Branches extends List }
          ? { [I in keyof Branches]: JsonValueOf<Branches[I], Defs> }[number]
          : S extends { allOf: infer Parts extends List }
            ? AllOf<Parts, Defs>
            : S extends { $ref: infer Ref }
              ? Referred<Ref, S extends { $defs: infer Own } ? Own : Defs>
              : S extends { type: infer Type }
                ? OfType<S, Type extends readonly (infer One)[] ? One : Type, Defs>
                : unknown

type AllOf<Parts extends List, Defs> = Parts extends readonly [infer First, ...infer Rest]
  ? JsonValueOf<First, Defs> & AllOf<Rest, Defs>
  : unknown

type Referred<Ref, Defs> = Ref extends keyof Defs
  ? JsonValueOf<Defs[Ref], Defs>
  : Ref extends `#/$defs/${infer Name extends keyof Defs & string}`
    ? JsonValueOf<Defs[Name], Defs>
    : unknown

type OfType<S, Type, Defs> = string extends Type
  ? unknown
  : Type extends 'string'
    ? string
    : Type extends 'integer' | 'number'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? Items<S, Defs>
            : Type extends 'object'
              ? Members<S, Defs>
              : unknown

type Items<S, Defs> = S extends { items: infer Tuple extends List; additionalItems: false; minItems: number }
  ? { -readonly [I in keyof Tuple]: JsonValueOf<Tuple[I], Defs> }
  : S extends { items: infer Item }
    ? Item extends List
      ? unknown[]
      : JsonValueOf<Item, Defs>[]
    : unknown[]

type Members<S, Defs> = S extends { properties: infer P }
  ? Flat<
      { -readonly [N in keyof P & RequiredOf<S>]: JsonValueOf<P[N], Defs> } & {
        -readonly [N in Exclude<keyof P, RequiredOf<S>>]?: JsonValueOf<P[N], Defs>
      }
    >
  : S extends { patternProperties: infer P }
    ? Record<string, JsonValueOf<P[keyof P], Defs>>
    : S extends { additionalProperties: infer Value }
      ? Record<string, JsonValueOf<Value, Defs>>
      : Record<string, unknown>

type RequiredOf<S> = S extends { required: readonly (infer Name)[] } ? Name : never

/** One object type instead of an intersection, so that editors and compile errors show its members. */
export type Flat<T> = { [N in keyof T]: T[N] } & {}

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

/** What a POST may set. A read-only field must not be there. */
export type SettableValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? never : N]: GivenValue<F[N]>
} & { -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? N : never]?: never }

/** What a PATCH may set. It may add to a number, and to a decimal number, whose type is that of any text. */
export type PatchedValues<F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? never : N]:
    | GivenValue<F[N]>
    | Added<GivenValue<F[N]>>
} & { -readonly [N in keyof F as IsSet<F[N], 'readOnly'> extends true ? N : never]?: never }

type Added<Value> = Value extends number
  ? number extends Value
    ? { $add: number }
    : never
  : Value extends string
    ? string extends Value
      ? { $add: string }
      : never
    : never

/** Whether a schema's type shows that the database gives the value. */
export type HasDbDefault<S> = S extends { readonly default: symbol } ? true : false

/** What bodies set fields to. */
export type GivenValues<F extends Fields> = { -readonly [N in keyof F]: GivenValue<F[N]> }

/** What a body sets a field to: a library may know more of a value that has passed its check, such as a brand. */
type GivenValue<S> =
  IsStandard<S> extends true
    ? Exclude<TypesOf<S>['input'], undefined> | (IsOptional<S> extends true ? null : never)
    : FieldValue<S>

/** Whether a schema's type shows that a body without the field is given a default. */
export type HasDefault<S> =
  IsStandard<S> extends true
    ? undefined extends TypesOf<S>['input']
      ? true
      : IsDefaultOfField<S>
    : S extends { default: unknown }
      ? true
      : false

/** Of the schemas of other libraries, many have a method of that name. */
type IsDefaultOfField<S> = S extends { default: infer Default }
  ? Default extends (...given: never[]) => unknown
    ? false
    : true
  : false

/** The value of a field of this schema. */
export type FieldValue<S> = IsOptional<S> extends true ? ValueOf<S> | null : ValueOf<S>

// A schema's type may tell only that an option is there: `boolean`. Nobody writes one that changes nothing, so it is
// taken as set.

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
