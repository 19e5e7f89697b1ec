import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type {
  NeedsMany,
  NeedsOne,
  OwnedBy,
  OwnsMany,
  OwnsOne,
  RelationDeclaration,
  Relations,
  ShownRelation,
} from '../descriptors/relations.ts'
import type { Model } from '../model.ts'
import type { Fields } from '../values/schema-facts.ts'
import type { ForeignKeyName, IdMemberName, IdOf, ShortIdOf } from './id-types.ts'
import type {
  At,
  ComputedValues,
  ForeignKeys,
  MovingKeys,
  NothingComputed,
  Place,
  PlainRecord,
  RequiredNeed,
} from './record-type.ts'
import type { FieldsOf, IsCarried, KeyOf, RelationsOf, ResourceKey } from './resource-keys.ts'
import type {
  Flat,
  GivenValues,
  HasDefault,
  IsLimited,
  IsOptional,
  IsSet,
  PatchedValues,
  SettableValues,
  ShownValues,
} from './value-type.ts'

/**
 * The body of a create: every field and foreign key that is not optional and has no default, and what the record owns.
 * It has no `id` and no field that is `readOnly`, and neither have the owned records in it.
 *
 * A field with a default may be left out if the schema's type shows the default, as that of
 * `field(Type.Integer(), { default: 1 })` does. TypeBox leaves options out of its types, so the type requires a field
 * of `Type.Integer({ default: 1 })`. The same holds for `readOnly`, `writeOnly` and `access`. A field that only some
 * callers may set may be left out.
 *
 * @example
 * const body: CreateBody<typeof resources, 'book'> = { title: 'Plans', publisherId: 1, authors: [{ id: 2 }] }
 */
export type CreateBody<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = At<
  M['descriptors'],
  K,
  P,
  CreateBodyIn<OfRequests<M>, K>,
  'create'
>

/** The descriptors as bodies see them. The library sets the tenant, so a body may leave out the relation to it. */
type OfRequests<M extends Model> = M['tenant'] extends { readonly resource: infer Tenants extends string }
  ? { [K in keyof M['descriptors']]: WithoutTenant<M['descriptors'][K], Tenants> }
  : M['descriptors']

type WithoutTenant<R extends ResourceDescriptor, Tenants extends string> = R extends {
  readonly relations: infer S extends Relations
}
  ? Omit<R, 'relations'> & { readonly relations: { readonly [N in keyof S]: Unrequired<S[N], Tenants> } }
  : R

type Unrequired<R extends RelationDeclaration, Tenants extends string> =
  R extends NeedsOne<Tenants, infer ForeignKey, false> ? NeedsOne<Tenants, ForeignKey, true> : R

type CreateBodyIn<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<NewId<D, D[K]> & PlaceIn<D, K> & Whole<BodyValues<D, K, 'create'>, RequiredName<D[K], 'create'>>>
    : never

/** The place in an owner's array, where that keeps its order: in front of a sibling, or at the end. */
type PlaceIn<D extends Descriptors, K extends KeyOf<D>> =
  true extends HasOrderedOwner<D, K, RelationsOf<D[K]>> ? Placed<ShortIdOf<D, D[K]>> : unknown

interface Placed<I> {
  $before?: I | null
}

type HasOrderedOwner<D extends Descriptors, K extends KeyOf<D>, S extends Relations> = {
  [N in keyof S]: S[N] extends OwnedBy<infer Owner> ? KeepsOrder<RelationsOf<D[Owner]>, K> : false
}[keyof S]

type KeepsOrder<S extends Relations, K> = {
  [N in keyof S]: S[N] extends OwnsMany<K & string> ? IsOrdered<S[N]> : false
}[keyof S]

/** Whether an array keeps its order. */
type IsOrdered<R extends RelationDeclaration> = R['options'] extends { readonly order?: infer Order }
  ? [Extract<Order, string>] extends [never]
    ? false
    : true
  : false

/** The id in the body of a create: where the client gives ids, it is required. Members that make it up are required
 * themselves. */
type NewId<D extends Descriptors, R extends ResourceDescriptor> = 'id' extends keyof R
  ? NewIdOf<R['id'], ShortIdOf<D, R>>
  : { id?: never }

/** `undefined` is among the declarations of a model that is not known at compile time. */
type NewIdOf<Declared, I> = undefined extends Declared
  ? { id?: I }
  : Declared extends readonly string[]
    ? { id?: I }
    : IsGivenByClient<Declared> extends true
      ? { id: I }
      : { id?: never }

type IsGivenByClient<Declared> = Declared extends 'text' | { readonly assign: 'client' }
  ? true
  : Declared extends { readonly kind: 'text' }
    ? Declared extends { readonly assign: unknown }
      ? false
      : true
    : false

/**
 * The body of a replace: what is left out becomes its default or null, and owned records that are not listed are
 * removed. A record as it is read is such a body: `readOnly` and computed fields are ignored, and `writeOnly` ones that
 * are left out stay as they are, and so do the relations that `defaultInclude` does not name.
 */
export type ReplaceBody<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = At<
  M['descriptors'],
  K,
  P,
  ReplaceBodyIn<OfRequests<M>, K>,
  'update'
>

type ReplaceBodyIn<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<{ id?: ShortIdOf<D, D[K]> } & Whole<BodyValues<D, K, 'replace'>, RequiredName<D[K], 'replace'>>>
    : never

/**
 * The body of a patch: what is left out stays as it is. It has no field that is `readOnly`. `{ $add: -3 }` in place of
 * a number is added to the stored one, and an element of an array with `$remove: true` goes. `$before`
 * says its place in an array that keeps its order. The mark `partial` of a
 * record that `fields` or `include` has cut may be sent back, but not beside an array that was cut.
 */
export type PatchBody<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = At<
  M['descriptors'],
  K,
  P,
  PatchBodyIn<OfRequests<M>, K>,
  'update'
>

type PatchBodyIn<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<{ id?: ShortIdOf<D, D[K]>; partial?: true } & PlaceIn<D, K> & Partial<BodyValues<D, K, 'patch'>>>
    : never

/** A body in which the parts with these names are required. */
type Whole<Values, Name> = Partial<Values> & Pick<Values, Name & keyof Values>

/** Everything that a body may carry besides `id`. */
type BodyValues<D extends Descriptors, K extends KeyOf<D>, V extends Verb> = FieldsIn<FieldsOf<D[K]>>[V] &
  ForeignKeys<D, RelationsOf<D[K]>> &
  MovingKeys<D, RelationsOf<D[K]>> &
  RelationValues<D, RelationsOf<D[K]>, V> &
  ComputedIn<D, D[K]>[V]

/** What each body may say of fields. */
interface FieldsIn<F extends Fields> {
  create: SettableValues<F>
  replace: GivenValues<F>
  patch: PatchedValues<F>
}

/** What each body may say of computed fields. */
interface ComputedIn<D extends Descriptors, R extends ResourceDescriptor> {
  create: NothingComputed<R>
  replace: ComputedValues<D, R>
  patch: NothingComputed<R>
}

/** The names that the body of a create or a replace must have. */
type RequiredName<R extends ResourceDescriptor, V extends Verb> =
  | Exclude<
      RequiredField<FieldsOf<R>, V> | RequiredForeignKey<RelationsOf<R>>,
      V extends 'replace' ? IdMemberName<R> : never
    >
  | RequiredRelation<R, RelationsOf<R>, V>

type RequiredField<F extends Fields, V extends Verb> = keyof {
  [N in keyof F as true extends MayBeLeftOut<F[N], V> ? never : N]: never
}

type MayBeLeftOut<S, V extends Verb> =
  | IsOptional<S>
  | HasDefault<S>
  | IsSet<S, 'readOnly'>
  | IsLimited<S, 'Edit'>
  | (V extends 'replace' ? IsSet<S, 'writeOnly'> | IsLimited<S, 'View'> : false)

type RequiredForeignKey<S extends Relations> = keyof {
  [N in keyof S as S[N] extends RequiredNeed ? ForeignKeyName<N, S[N]> : never]: never
}

type RequiredRelation<R extends ResourceDescriptor, S extends Relations, V extends Verb> = keyof {
  [N in keyof S as S[N] extends NeedsMany | OwnsOne<string, true>
    ? V extends 'replace'
      ? IsCarried<R, N> extends true
        ? N
        : never
      : N
    : never]: never
}

type RelationValues<D extends Descriptors, S extends Relations, V extends Verb> = {
  -readonly [N in keyof S as S[N]['relation'] extends ShownRelation ? N : never]: RelationValue<
    D,
    S[N],
    V
  >[S[N]['relation'] & ShownRelation]
}

/** What a relation's property may carry, by its kind. The nested records of `needs.one` and `knows.one` are
 * read-only. */
interface RelationValue<D extends Descriptors, R extends RelationDeclaration, V extends Verb> {
  'owns.one': OwnedBody<D, R['target']>[V] | (R extends OwnsOne<string, true> ? never : null)
  'owns.many': readonly OwnedItem<D, R['target']>[V][]
  'needs.one': PlainRecord<D, D[R['target']]> | (R extends RequiredNeed ? never : null)
  'needs.many': readonly LinkItem<D, D[R['target']], IsOrdered<R>>[V][]
  'knows.one': PlainRecord<D, D[R['target']]> | null
  'knows.many': readonly LinkItem<D, D[R['target']], IsOrdered<R>>[V][]
}

type Verb = keyof OwnedBody<Descriptors, string>

/** The one owned record within its owner's body. */
interface OwnedBody<D extends Descriptors, K extends KeyOf<D>> {
  create: CreateBodyIn<D, K>
  replace: ReplaceBodyIn<D, K>
  patch: PatchBodyIn<D, K>
}

/** One of several owned records in their owner's body. One with an `id` exists already, one without is new. */
interface OwnedItem<D extends Descriptors, K extends KeyOf<D>> {
  create: CreateBodyIn<D, K>
  replace: ReplaceBodyIn<D, K>
  patch: PatchItem<D, K>
}

/** Not `{ id: Id } & PatchBodyIn<…>`: the compiler would find a circle in it, and silently infer `any`. */
type PatchItem<D extends Descriptors, K extends KeyOf<D>> =
  K extends KeyOf<D>
    ?
        | Flat<{ id: ShortIdOf<D, D[K]>; partial?: true } & MayGo & PlaceIn<D, K> & Partial<BodyValues<D, K, 'patch'>>>
        | CreateBodyIn<D, K>
        | ByMembers<D, K>
    : never

/** An existing record that the members of its id name. */
type ByMembers<D extends Descriptors, K extends KeyOf<D>> = [IdMemberName<D[K]>] extends [never]
  ? never
  : Flat<MayGo & PlaceIn<D, K> & Whole<BodyValues<D, K, 'patch'>, IdMemberName<D[K]>>>

/** Takes the record of an element away, or the link to it. Beside anything but what names the record, it is
 * refused. */
interface MayGo {
  $remove?: true
}

interface LinkItem<D extends Descriptors, R extends ResourceDescriptor, Ordered extends boolean> {
  create: Flat<LinkedItem<D, R> & (Ordered extends true ? Placed<IdOf<D, R>> : unknown)>
  replace: LinkedItem<D, R>
  patch: Flat<LinkedItem<D, R> & MayGo & (Ordered extends true ? Placed<IdOf<D, R>> : unknown)>
}

/** An element of `needs.many` or `knows.many`: its id names the target, its fields are read-only. */
type LinkedItem<D extends Descriptors, R extends ResourceDescriptor> = Flat<
  { id: IdOf<D, R> } & Partial<ShownValues<FieldsOf<R>> & ComputedValues<D, R>>
>
