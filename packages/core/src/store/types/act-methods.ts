import type { Effects, ReturnsEffects } from '../../effects-form.ts'
import type { Model } from '../../model/model.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { IsOptional, ValueOf } from '../../model/types/value-type.ts'
import type { CollectionId, Whole } from './read-options.ts'

/**
 * A model whose stores have the actions of an application. `A`: the type of what `defineActions` returned.
 *
 * @example
 * type Shop = Store<WithActions<typeof resources, { book: { print: { asks: 'View'; run(): void } } }>>
 * const print = (shop: Shop) => shop.book.act(1, 'print')
 */
export type WithActions<M extends Model, A> = unknown extends A ? M : M & { readonly '~actions'?: A }

/** How an action is carried out. `Q`: its query. */
export interface ActOptions<Q = unknown> {
  readonly query?: Q
  /** All of it is done, and undone at the end, but for `afterCommit`. Default: false. */
  readonly dryRun?: boolean
  readonly returns?: never
}

/** Actions that the compiler does not know: those that an action itself may carry out are declared beside it. */
export type UnknownActions = Readonly<Record<string, 'unknown'>>

/** What a collection has besides, if its resource has actions. */
export type IfActs<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = [ActionsIn<M, K>] extends [
  never,
]
  ? unknown
  : { readonly act: ActionsIn<M, K> extends 'unknown' ? ActByName<M, K, P> : Act<M, K, P, ActionsIn<M, K>> }

/** Carries out an action whose declaration is not known: its input is checked when that is done. */
interface ActByName<M extends Model, K extends ResourceKey<M>, P extends Place> {
  // biome-ignore lint/suspicious/noExplicitAny: what only the declaration knows
  (id: CollectionId<M, K, P>, name: string, body?: unknown, options?: ActOptions | ActEffects<unknown>): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: what only the declaration knows
  (name: string, body?: unknown, options?: ActOptions | ActEffects<unknown>): Promise<any>
}

/** The declarations of a resource's actions, by name; `never`: it has none. */
export type ActionsIn<M, K> = M extends { readonly '~actions'?: infer A }
  ? K extends keyof A
    ? NonNullable<A[K]>
    : never
  : never

/**
 * Carries out an action of the application's. Resolves to its answer; without one to the record, or to undefined if
 * that is gone. Rejects as the writes of the collection do, and with what the action refuses.
 */
interface Act<M extends Model, K extends ResourceKey<M>, P extends Place, A> {
  <N extends ActionNameOn<A, 'record'>>(
    id: CollectionId<M, K, P>,
    name: N,
    body: BodyIn<A[N]>,
    options: ActEffects<QueryOfAction<A[N]>>,
  ): Promise<Effects>
  <N extends ActionNameOn<A, 'list'>>(
    name: N,
    body: BodyIn<A[N]>,
    options: ActEffects<QueryOfAction<A[N]>>,
  ): Promise<Effects>
  <N extends ActionNameOn<A, 'record'>>(
    id: CollectionId<M, K, P>,
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<ActionAnswer<A[N], Whole<M, K, P> | undefined>>
  <N extends ActionNameOn<A, 'list'>>(
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<ActionAnswer<A[N], undefined>>
}

/** The names of the actions that are about a record, or about the list. */
export type ActionNameOn<A, On> = { [N in keyof A]: OnOf<A[N]> extends On ? N : never }[keyof A]

/** What an action is about, of its declaration. */
export type OnOf<D> = D extends { readonly on?: infer On }
  ? [NonNullable<On>] extends ['list']
    ? 'list'
    : 'record'
  : 'record'

type Part<D, Name extends string> = D extends { readonly [N in Name]?: infer S } ? S : unknown

/** What an action takes behind its name. `Options`: how it is carried out. */
export type ActionInput<D, Options> =
  IsRequired<Part<D, 'body'>> extends true
    ? [body: ValueIn<Part<D, 'body'>>, options?: Options]
    : [body?: ValueIn<Part<D, 'body'>>, options?: Options]

/** The query of an action; undefined: it takes none. */
export type QueryOfAction<D> = ValueIn<Part<D, 'query'>>

interface ActEffects<Q> extends ReturnsEffects {
  readonly query?: Q
}

type BodyIn<D> = ValueIn<Part<D, 'body'>> | (IsRequired<Part<D, 'body'>> extends true ? never : undefined)

type IsRequired<S> = unknown extends S ? false : IsOptional<S> extends true ? false : true

/** The value of a body or query; undefined without a schema, anything where nothing is known of it (`any`). */
export type ValueIn<S> = 0 extends 1 & S ? S : unknown extends S ? undefined : ValueOf<NonNullable<S>>

/** What an action answers. `Default`: where it declares nothing. */
export type ActionAnswer<D, Default> =
  unknown extends Part<D, 'answer'> ? Default : ValueOf<NonNullable<Part<D, 'answer'>>>
