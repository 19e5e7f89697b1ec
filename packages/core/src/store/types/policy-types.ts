import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { AnyCaller, CallersTypeName } from '../../model/callers.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { TableNameOf, TablesOf } from '../../model/types/tables-of.ts'

/**
 * Who may see and do what with which rows: an entry for each resource. A resource whose records all have owners needs
 * none: then what may be done with the owner decides.
 *
 * `C` is the type of the caller.
 *
 * @example
 * const policies: Policies<typeof resources, Caller> = {
 *   order: ({ eb, my }) => eb('customerId', '=', my('id')),
 *   product: { View: true },
 *   note: { member: ({ eb, my }) => eb('authorId', '=', my('id')), admin: true },
 * }
 */
export type Policies<M extends Model = Model, C = AnyCaller> = {
  readonly [K in ResourceKey<M>]?: Policy<M, K, C>
}

/**
 * One rule for all actions, one for each action, or either for each role (a string in `caller.roles`). The rules of
 * several roles are joined by OR. An action or role that is missing is allowed to nobody.
 */
export type Policy<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller> =
  | PolicyRule<M, K, C>
  | ActionRules<M, K, C>
  | { readonly [role: string]: PolicyRule<M, K, C> | ActionRules<M, K, C> }

interface ActionRules<M extends Model, K extends ResourceKey<M>, C> {
  /** Which rows may be seen. All others are as if they were not there. */
  readonly View?: PolicyRule<M, K, C>
  /** Which rows may be added, as they are stored. */
  readonly Add?: PolicyRule<M, K, C>
  /** Which rows may be changed: as they were before, and as they are stored. */
  readonly Edit?: PolicyRule<M, K, C> | { readonly before: PolicyRule<M, K, C>; readonly after: PolicyRule<M, K, C> }
  /** Which rows may be deleted, by a request of their own or with their owner. */
  readonly Delete?: PolicyRule<M, K, C>
}

/** All rows, none, or those for which an expression is true. The function is called once, at start. */
export type PolicyRule<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller> =
  | boolean
  | ((on: PolicyBuilder<M, K, C>) => Expression<SqlBool>)

/** What an expression over a resource's table is made of. */
export interface PolicyBuilder<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller> {
  /** Kysely's expression builder on the resource's table, with its real columns. Subqueries read other tables as they
   * are. */
  readonly eb: BuilderOf<M, K>
  /**
   * A value of the caller, which each request fills in. It has the type of the column that it is compared with. Where
   * it is compared with something else, `type` says it.
   */
  readonly my: CallersValues<C>['of'] & {
    /** In a model with tenants: the id of the one whose records the request is about. */
    readonly tenant: Expression<Id>
  }
  /** Whether another resource's policy allows an action with the record that has the id. */
  can(action: 'View' | 'Edit' | 'Delete', resource: ResourceKey<M>, id: Expression<Id | null>): Expression<SqlBool>
}

/** As a method, so that policies for a known caller are policies for any. */
interface CallersValues<C> {
  of<Name extends NameIn<C>>(name: Name, type?: CallersTypeName): Expression<ValueIn<C, Name>>
}

type BuilderOf<M extends Model, K extends ResourceKey<M>> = string extends keyof M['descriptors']
  ? // biome-ignore lint/suspicious/noExplicitAny: a model of which nothing is known
    ExpressionBuilder<any, any>
  : ExpressionBuilder<TablesOf<M>, TableNameOf<M, K> & keyof TablesOf<M>>

type NameIn<C> = unknown extends C ? string : keyof C & string

type ValueIn<C, Name> = unknown extends C
  ? // biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
    any
  : Name extends keyof C
    ? NonNullable<C[Name]>
    : never
