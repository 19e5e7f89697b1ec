import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { KnowsOne, NeedsOne, OwnedBy, RelationDeclaration, Relations } from '../descriptors/relations.ts'
import type { Id } from '../ids/id-kind.ts'
import type { FieldsOf, RelationsOf } from './resource-keys.ts'
import type { ValueOf } from './value-type.ts'

/**
 * The ids of a descriptor's records: numbers for `integer`, else strings; `never` for `false`. Either, if the
 * descriptor is not known at compile time. Ids that one member makes up are its values.
 */
export type IdOf<D extends Descriptors, R extends ResourceDescriptor> = 'id' extends keyof R
  ? Declared<R['id'], IdOfMembers<D, R, R['id']>>
  : number

/** The ids as bodies, answers and paths have them: below its owner, a record's id has no part that is the owner's. */
export type ShortIdOf<D extends Descriptors, R extends ResourceDescriptor> = 'id' extends keyof R
  ? Declared<R['id'], ShortIdOfMembers<D, R, R['id']>>
  : number

/** The entry `id` of a record with such ids; none, if it has no id. */
export type IdEntry<I> = [I] extends [never] ? unknown : { id: I }

type Declared<I, OfMembers> = I extends readonly string[]
  ? OfMembers
  : I extends false
    ? never
    : I extends undefined | 'integer' | { readonly kind: 'integer' }
      ? number
      : string

type IdOfMembers<D extends Descriptors, R extends ResourceDescriptor, Names> = Names extends readonly [
  infer First,
  ...infer Others,
]
  ? Others extends readonly []
    ? PartOf<D, R, First>
    : string
  : Id

type ShortIdOfMembers<D extends Descriptors, R extends ResourceDescriptor, Names> = Names extends readonly unknown[]
  ? WithoutOwner<RelationsOf<R>, Names> extends readonly []
    ? IdOfMembers<D, R, Names>
    : IdOfMembers<D, R, WithoutOwner<RelationsOf<R>, Names>>
  : Id

type WithoutOwner<S extends Relations, Names extends readonly unknown[]> = Names extends readonly [
  infer First,
  ...infer Others,
]
  ? IsOwner<S[RelationNamed<S, First>]> extends true
    ? WithoutOwner<S, Others>
    : [First, ...WithoutOwner<S, Others>]
  : Names extends readonly []
    ? []
    : Names

/** `R`: a relation; `never` for a field. */
type IsOwner<R> = [R] extends [never] ? false : R extends OwnedBy ? true : false

/** What a record has for a member of its id, which its own name or that of its foreign key names. */
type PartOf<D extends Descriptors, R extends ResourceDescriptor, N> = N extends keyof FieldsOf<R>
  ? ValueOf<FieldsOf<R>[N]> & Id
  : TargetId<D, RelationsOf<R>[RelationNamed<RelationsOf<R>, N>]>

/** The ids to which a relation leads. */
export type TargetId<D extends Descriptors, R> = R extends RelationDeclaration ? IdOf<D, D[R['target']]> : never

/** The relation with a foreign key that has this name, or whose foreign key has it. */
type RelationNamed<S extends Relations, N> = {
  [M in keyof S]: N extends M | KeyName<M, S[M]> ? M : never
}[keyof S]

/** The names of an id's members in bodies; `never` if ids have a column of their own. */
export type IdMemberName<R extends ResourceDescriptor> = R extends { readonly id: readonly (infer N)[] }
  ? Exclude<N, keyof RelationsOf<R>> | BodyKeys<RelationsOf<R>, N>
  : never

type BodyKeys<S extends Relations, N> = { [M in keyof S]: M extends N ? ForeignKeyName<M, S[M]> : never }[keyof S]

/** The name of the foreign key that a relation of that name shows; `never` if it shows none. */
export type ForeignKeyName<N extends PropertyKey, R extends RelationDeclaration> = R extends
  | NeedsOne<string, infer ForeignKey>
  | KnowsOne<string, infer ForeignKey>
  ? KeyOr<ForeignKey, N>
  : never

/** The name of the foreign key that a relation of that name keeps in its resource's table; `never` if it keeps none. */
export type KeyName<N extends PropertyKey, R extends RelationDeclaration> =
  R extends OwnedBy<string, boolean, infer ForeignKey> ? KeyOr<ForeignKey, N> : ForeignKeyName<N, R>

type KeyOr<Chosen extends string, N extends PropertyKey> = [Chosen] extends [never] ? `${N & string}Id` : Chosen
