import type { Aggregate } from '../descriptors/computed.ts'
import type { ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { ManyKind, Relations, ShownRelation } from '../descriptors/relation-kinds.ts'
import type { KeyName } from './id-types.ts'
import type { FieldsOf, RelationsOf } from './resource-keys.ts'

/**
 * Makes an unknown entry of a descriptor, such as a misspelt one, a compile error, and an unknown name in `defaultInclude`, in what is
 * computed and in unique keys.
 */
export type KnownEntries<D> = {
  readonly [K in keyof D]: { readonly [Entry in Exclude<keyof D[K], keyof ResourceDescriptor>]: never } & {
    readonly defaultInclude?: readonly NameToInclude<D[K]>[]
    readonly computed?: KnownComputed<D, D[K]>
  } & KnownUniques<D[K]>
}

/** Makes an unknown name in a unique key a compile error. */
type KnownUniques<R> = R extends ResourceDescriptor & { readonly unique: infer U extends readonly unknown[] }
  ? { readonly unique?: { readonly [I in keyof U]: KnownUnique<KeyMemberName<R>, U[I]> } }
  : unknown

type KnownUnique<Name, U> = U extends readonly unknown[]
  ? KnownNames<Name, U>
  : U extends { readonly fields: infer F extends readonly unknown[] }
    ? { readonly fields: KnownNames<Name, F>; readonly where?: KnownConditions<Name, U> }
    : unknown

/** Names that are not known at compile time are checked at start. */
type KnownNames<Name, Names extends readonly unknown[]> = string extends Names[number] ? unknown : readonly Name[]

type KnownConditions<Name, U> = U extends { readonly where: infer W }
  ? string extends keyof W
    ? unknown
    : { readonly [N in Exclude<keyof W, Name>]: never }
  : unknown

/** What a unique key can name: fields, and relations by their own names and by those of their foreign keys. */
type KeyMemberName<R extends ResourceDescriptor> = keyof FieldsOf<R> | KeyNames<RelationsOf<R>>

type KeyNames<S extends Relations> = {
  [N in keyof S]: [KeyName<N, S[N]>] extends [never] ? never : N | KeyName<N, S[N]>
}[keyof S]

/** The names of the relations that a record can carry; any name, if they are not known at compile time. */
type NameToInclude<R> = R extends { readonly relations: infer S extends Relations }
  ? string & keyof { [N in keyof S as S[N]['relation'] extends ShownRelation ? N : never]: never }
  : string

/** Makes an unknown relation or field in a computed field a compile error. */
type KnownComputed<D, R> = R extends {
  readonly relations: infer S extends Relations
  readonly computed: infer C
}
  ? { readonly [N in keyof C]: C[N] extends Aggregate ? KnownAggregate<D, S, C[N]> : unknown }
  : unknown

interface KnownAggregate<D, S extends Relations, A extends Aggregate> {
  readonly relation: keyof { [N in keyof S as S[N]['relation'] extends ManyKind ? N : never]: never }
  readonly field: A['field'] extends string
    ? A['relation'] extends keyof S
      ? FieldName<D, S[A['relation']]['target']>
      : never
    : undefined
}

type FieldName<D, K> = K extends keyof D ? (D[K] extends { readonly fields: infer F } ? keyof F : never) : never
