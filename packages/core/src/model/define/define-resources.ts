import { ModelError } from '../../errors.ts'
import type { Aggregate } from '../descriptors/computed.ts'
import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { ManyKind, Relations, ShownRelation } from '../descriptors/relations.ts'
import type { TenantDeclaration } from '../descriptors/tenant.ts'
import type { Model } from '../model.ts'
import type { KeyName } from '../types/id-types.ts'
import type { FieldsOf, RelationsOf } from '../types/resource-keys.ts'
import { buildFields } from './build-fields.ts'
import { buildResources } from './build-resources.ts'
import { checkTenantDeclaration } from './build-tenant.ts'

export interface ModelOptions<T extends TenantDeclaration | undefined = TenantDeclaration | undefined> {
  /** Whose records there are. Default: all records belong to the one who runs the service. */
  readonly tenant?: T
}

/**
 * Checks a whole model once and freezes it.
 *
 * Takes a descriptor for each resource, by the resource's key. Returns the model that the plugin, the store and the
 * plan functions take. A relation to a key that does not exist is also a compile-time error.
 *
 * @throws {ModelError} if anything is wrong; it lists every problem with its place in the descriptors.
 *
 * @example
 * const resources = defineResources({
 *   publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') } },
 *   book: { fields: { title: Type.String() }, relations: { publisher: needs.one('publisher') } },
 * })
 */
export function defineResources<
  const D extends Descriptors<keyof D & string>,
  const T extends TenantDeclaration<keyof D & string> | undefined = undefined,
>(descriptors: D & KnownEntries<D>, { tenant, ...unknown }: ModelOptions<T> = {}): Model<D, T> {
  if (typeof descriptors !== 'object' || descriptors === null) {
    throw new ModelError([{ place: 'resources', message: 'must be an object with a descriptor for each resource' }])
  }
  const problems = [
    ...Object.keys(unknown).map((name) => ({
      place: name,
      message: `a model has no option '${name}'; there is 'tenant'`,
    })),
    ...checkTenantDeclaration(tenant),
  ]
  if (problems.length > 0) throw new ModelError(problems)
  return Object.freeze({
    descriptors,
    tenant: tenant as T,
    resources: buildResources({ descriptors, tenant }, buildFields),
  })
}

/**
 * Makes an unknown entry of a descriptor, such as a misspelt one, a compile error, and an unknown name in
 * `defaultInclude`, in what is computed and in unique keys.
 */
type KnownEntries<D> = {
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
