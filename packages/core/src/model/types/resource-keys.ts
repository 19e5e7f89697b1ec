import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { KnowsMany, NeedsMany, OwnedBy, OwnsMany, OwnsOne, Relations } from '../descriptors/relations.ts'
import type { Fields } from '../values/schema-facts.ts'

type Nothing = Readonly<Record<never, never>>

/** The fields of a descriptor; any fields, if the descriptor is not known at compile time. */
export type FieldsOf<R extends ResourceDescriptor> = R extends { readonly fields: infer F extends Fields }
  ? F
  : 'fields' extends keyof R
    ? Fields
    : Nothing

/** The relations of a descriptor; none, if the descriptor is not known at compile time. */
export type RelationsOf<R extends ResourceDescriptor> = R extends { readonly relations: infer S extends Relations }
  ? S
  : Nothing

/** Whether a record carries the relation `N` by default. Not if `defaultInclude` is not known at compile time. */
export type IsCarried<R extends ResourceDescriptor, N> = R extends {
  readonly defaultInclude: readonly (infer Named)[]
}
  ? string extends Named
    ? false
    : N extends Named
      ? true
      : false
  : true

/** Whether requests write records of a descriptor. They do, if it is not known at compile time. */
export type IsWritable<R extends ResourceDescriptor> = R extends { readonly writable: false } | { readonly id: false }
  ? false
  : true

export type KeyOf<D extends Descriptors> = keyof D & string

/** A model, of which these types need only the descriptors. */
export interface OfDescriptors {
  readonly descriptors: Descriptors
}

/** The key of a resource. */
export type ResourceKey<M extends OfDescriptors> = KeyOf<M['descriptors']>

/** The key of a resource whose records can be without an owner, and so have a route at the top. */
export type RootKey<M extends OfDescriptors> = RootKeyIn<M['descriptors']>

type RootKeyIn<D extends Descriptors> = string extends keyof D
  ? string
  : string & keyof { [K in keyof D as IsRoot<RelationsOf<D[K]>> extends true ? K : never]: never }

type IsRoot<S extends Relations> = [Extract<S[keyof S], OwnedBy>] extends [never]
  ? true
  : [Extract<S[keyof S], OwnedBy<string, true>>] extends [never]
    ? false
    : true

/** The key of a resource whose records can be reached without naming an owner. */
export type TopKey<M extends OfDescriptors> = RootKey<M> | TopLevelKeyIn<M['descriptors']>

type TopLevelKeyIn<D extends Descriptors> = string extends keyof D
  ? string
  : string & keyof { [K in keyof D as D[K] extends { readonly topLevel: true } ? K : never]: never }

/** The names of those relations of a resource that are of a kind. */
export type RelationNameIn<D extends Descriptors, K extends KeyOf<D>, Kind> = string extends keyof D
  ? string
  : string & keyof { [N in keyof RelationsOf<D[K]> as RelationsOf<D[K]>[N] extends Kind ? N : never]: never }

/** The key of the resource to which a relation leads. */
type TargetIn<D extends Descriptors, K extends KeyOf<D>, R extends string> = string extends keyof D
  ? KeyOf<D>
  : RelationsOf<D[K]>[R & keyof RelationsOf<D[K]>] extends { readonly target: infer T }
    ? T & KeyOf<D>
    : never

/** The names of the relations through which a resource owns others. */
export type OwnsRelation<M extends OfDescriptors, K extends ResourceKey<M>> = RelationNameIn<
  M['descriptors'],
  K,
  OwnsOne | OwnsMany
>

/** The key of the resource that relation `R` of resource `K` owns. */
export type OwnsTarget<M extends OfDescriptors, K extends ResourceKey<M>, R extends OwnsRelation<M, K>> = TargetIn<
  M['descriptors'],
  K,
  R
>

/** The names of the relations through which the records of a resource are linked to others: `needs.many` and
 * `knows.many`. */
export type LinkRelation<M extends OfDescriptors, K extends ResourceKey<M>> = RelationNameIn<
  M['descriptors'],
  K,
  NeedsMany | KnowsMany
>

/** The key of the resource to which relation `R` of resource `K` links. */
export type LinkTarget<M extends OfDescriptors, K extends ResourceKey<M>, R extends LinkRelation<M, K>> = TargetIn<
  M['descriptors'],
  K,
  R
>
