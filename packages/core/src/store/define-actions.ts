import type { AskedAction } from '../actions/action.ts'
import { readActions } from '../actions/read-actions.ts'
import type { AnyCaller, Asker } from '../model/callers.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { checkModel, type Model } from '../model/model.ts'
import type { ResourceKey } from '../model/types/resource-keys.ts'
import type { ValueOf } from '../model/types/value-type.ts'
import type { RuleLog } from '../rules/rule-types.ts'
import type { AnyTransaction } from '../session/kysely-transaction.ts'
import type { UnknownActions, ValueIn, WithActions } from './types/act-methods.ts'
import type { CollectionId } from './types/read-options.ts'
import type { Store } from './types/store-types.ts'

/** The verbs of an application: for each resource its actions, by their names. `C`: the type of the caller. */
export type Actions<M extends Model = Model, C = AnyCaller> = {
  readonly [K in ResourceKey<M>]?: {
    // biome-ignore lint/suspicious/noExplicitAny: schemas of any kind; `defineActions` knows them
    readonly [name: string]: ActionDeclaration<KnownModel<M>, K, any, any, any, any, any, C>
  }
}

/** The model, if its keys are known. All others are one, whether they have tenants or not: stores of two are no stores
 * of each other. */
type KnownModel<M extends Model> = string extends ResourceKey<M> ? Model : M

/**
 * A verb of the application. `B`, `Q`, `A`: the schemas of its body, query and answer; `P`: what `prepare` resolves to.
 *
 * @example
 * const close: ActionDeclaration<typeof resources, 'book'> = { asks: 'Edit', run: ({ refuse }) => refuse('not yet') }
 */
export interface ActionDeclaration<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  B = unknown,
  Q = unknown,
  A = unknown,
  On = 'record',
  P = unknown,
  C = AnyCaller,
> {
  /** `'record'`: it is about one record, which it locks. `'list'`: about the collection. Default: `'record'`. */
  readonly on?: On & ('record' | 'list')
  /** `'GET'`: it only reads, and takes no lock. Default: `'POST'`. */
  readonly method?: 'POST' | 'GET'
  /** What `authorize` and, of a record, policies have to allow. */
  readonly asks: AskedAction
  /** The schema of its body. Default: it takes none. */
  readonly body?: B
  /** The schema of its query: an object of texts, numbers, booleans and arrays of these. Default: it takes none. */
  readonly query?: Q
  /** The schema of what `run` returns. Default: the record is the answer. */
  readonly answer?: A
  /** The resources whose records it changes, for clients that keep what they have read: see `$model`. Default: any. */
  readonly changes?: readonly ResourceKey<M>[]
  /** Waits for other services, before the transaction. `run` gets what it resolves to. */
  prepare?(input: PrepareInput<M, K, B, Q, On, C>): P | Promise<P>
  /** Does it, in a transaction that is tried again after a deadlock, and then from here. */
  run(input: RunInput<M, K, B, Q, On, P, C>): AnswerValue<A> | Promise<AnswerValue<A>>
}

/** Not where nothing is known of it (`any`). */
type IsOfList<On> = [unknown] extends [On] ? false : [On] extends ['list'] ? true : false

type AnswerValue<A> = unknown extends A ? unknown : ValueOf<A>

/** What is known of the request before its transaction. */
export interface PrepareInput<M extends Model, K extends ResourceKey<M>, B, Q, On, C> extends Asker<C> {
  /** The record's, as the methods of its collection take it; undefined for an action of the collection. */
  readonly id: IsOfList<On> extends true ? undefined : CollectionId<M, K>
  /** The ids of the owners in the path, the topmost first. */
  readonly owners: readonly Id[]
  readonly body: ValueIn<B>
  readonly query: ValueIn<Q>
  /** The caller's store. In `prepare` and in a GET it only reads. Its `act` carries out another action as a part of
   * this one. */
  readonly store: ActingStore<M>
}

/** The store of a running action. */
type ActingStore<M extends Model> = Store<WithActions<M, UnknownActions>>

export interface RunInput<M extends Model, K extends ResourceKey<M>, B, Q, On, P, C>
  extends PrepareInput<M, K, B, Q, On, C> {
  /** What `prepare` has resolved to. */
  // biome-ignore lint/suspicious/noExplicitAny: the compiler infers it only of a `prepare` without parameters
  readonly prepared: unknown extends P ? any : P
  /** The store of the application itself, for the same tenant, in the same transaction. */
  readonly system: ActingStore<M>
  /** The transaction, without policies and rules. It must not be used any more when the action is done. */
  readonly db: AnyTransaction
  /** 409 `CRUD_ERR_REFUSED` with these words, when `run` is over. Nothing is stored. */
  refuse(message: string): void
  /** 400 `CRUD_ERR_INVALID`, when `run` is over. `pointer`: into the body, or the name of a property. */
  invalid(pointer: string, message: string): void
  /** Does something once, after the commit. What it throws is logged. */
  afterCommit(work: (input: { readonly log: RuleLog }) => unknown): void
}

/**
 * Checks the actions of a model and returns them, with the types of their bodies, queries and answers.
 *
 * @throws {TypeError} that lists all that is wrong with them.
 *
 * @example
 * const actions = defineActions(resources, {
 *   book: {
 *     rename: {
 *       body: Type.Object({ title: Type.String() }),
 *       asks: 'Edit',
 *       async run({ id, body, store }) {
 *         await store.book.patch(id, body)
 *       },
 *     },
 *   },
 * })
 * const shop = createStore({ db, resources, actions })
 * await shop.book.act(1, 'rename', { title: 'Nibs' })
 */
export function defineActions<M extends Model, const B, const Q, const A, const On, P>(
  resources: M,
  actions: DeclaredActions<M, B, Q, A, On, P> & {
    readonly [K in keyof Q]: { readonly [N in keyof Q[K]]: { readonly query?: Q[K][N] } }
  } & {
    readonly [K in keyof A]: { readonly [N in keyof A[K]]: { readonly answer?: A[K][N] } }
  } & {
    readonly [K in keyof On]: { readonly [N in keyof On[K]]: { readonly on?: On[K][N] } }
  } & {
    readonly [K in keyof P]: { readonly [N in keyof P[K]]: { prepare?(input: never): P[K][N] | Promise<P[K][N]> } }
  },
): DeclaredActions<M, B, Q, A, On, P> {
  checkModel(resources)
  readActions(resources, actions)
  return actions
}

// Each kind of schema is inferred through a mapped type of its own: the compiler goes backwards through one at a time.
type DeclaredActions<M extends Model, B, Q, A, On, P> = {
  readonly [K in keyof B]: {
    readonly [N in keyof B[K]]: ActionDeclaration<
      M,
      K & ResourceKey<M>,
      B[K][N],
      Within<Q, K, N>,
      Within<A, K, N>,
      Within<On, K, N>,
      Within<P, K, N>,
      // biome-ignore lint/suspicious/noExplicitAny: for whatever callers the service has
      any
    >
  }
}

type Within<T, K, N> = K extends keyof T ? (N extends keyof T[K] ? T[K][N] : unknown) : unknown
