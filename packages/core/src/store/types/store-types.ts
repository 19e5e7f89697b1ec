import type { RawBuilder } from 'kysely'
import type { Count } from '../../asking/scope.ts'
import type { Effects, ReturnsEffects } from '../../effects-form.ts'
import type { AnyCaller } from '../../model/callers.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { CreateBody, PatchBody, ReplaceBody } from '../../model/types/body-types.ts'
import type { ChosenIn, NotGiven } from '../../model/types/chosen-record.ts'
import type { GroupKeyName, GroupOf, GroupValueName } from '../../model/types/group-types.ts'
import type { Place } from '../../model/types/record-type.ts'
import type {
  IsWritable,
  LinkRelation,
  LinkTarget,
  OwnsRelation,
  OwnsTarget,
  ResourceKey,
  TopKey,
} from '../../model/types/resource-keys.ts'
import type { VisibleRow } from '../../model/types/tables-of.ts'
import type { Plan } from '../../planning/public/plan.ts'
import type { SessionSettings } from '../../session/session-settings.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { IfActs } from './act-methods.ts'
import type { BatchMethod } from './batch-methods.ts'
import type { BulkMethods } from './bulk-methods.ts'
import type { IfSoftDeleted } from './deleted-records.ts'
import type { Grouping, GroupOptions } from './group-options.ts'
import type { IfHistory } from './history-methods.ts'
import type { CollectionId, FindOptions, IsCounted, Listing, ListOptions, Shown, Whole } from './read-options.ts'
import type { CreateOptions, DryRun, DryRunOf, LinkPlace, WriteOptions } from './write-options.ts'

/**
 * The records of a model in a database, by resource. Each write is one transaction, which does everything or nothing.
 *
 * Owned records are reached through their owner: {@link Collection.owned}. A resource whose key is the name of one of
 * the {@link StoreMethods} is reached by `store.resource(key)`.
 *
 * @example
 * const book = await store.book.create({ title: 'Emma', publisherId: 1, authors: [{ id: 2 }] })
 * const { rows, count } = await store.book.owned(book.id, 'chapters').list({ limit: 10 })
 */
export type Store<M extends Model = Model> = StoreMethods<M> & {
  readonly [K in Exclude<TopKey<M>, keyof StoreMethods>]: TopCollectionOf<M, K>
}

/**
 * PostgreSQL only: the settings that the database has in each transaction of a caller's request, reads included. Its
 * own policies (row level security) see there who is asking. They are names with a dot, and strings.
 *
 * @example
 * const session: SessionOf<{ id: number }> = (caller) => ({ 'app.user': String(caller.id) })
 */
export type SessionOf<C = AnyCaller> = (caller: C) => SessionSettings

/**
 * A store with policies or `session`: it does nothing without saying who is asking.
 *
 * @example
 * const mine = store.as({ id: 7, roles: ['member'] })
 * const { rows } = await mine.book.list()
 */
export interface GuardedStore<M extends Model = Model, C = AnyCaller> {
  /**
   * The store as a caller has it: policies, field options and PostgreSQL itself (`session`) say what it sees and does.
   * In a model with tenants, it has the records of the one that is named.
   *
   * @throws {TypeError} if the model has tenants and none is named, or has none and one is named.
   * @throws {CrudError} `CRUD_ERR_NOT_FOUND` if the tenant's id is none.
   */
  as(caller: C, whose?: WhoseRecords): Store<M>
  /**
   * The store without policies and without settings, for the application's own work. In a model with tenants, it has
   * the records of the one that is named. Without one, it can list the records of all tenants, and write the tenants
   * themselves and what all tenants share.
   */
  asSystem(): SystemStore<M>
  asSystem(whose: WhoseRecords): Store<M>
  /**
   * The same store on another connection of the same database: in a rule, in the write's own transaction, or in a
   * transaction that the application has begun. Whoever began it commits it. In it, a write has a savepoint of its own,
   * and is not tried again. It is for what Kysely derives from the store's own instance; another database is for
   * {@link on}.
   *
   * @example
   * await db.transaction().execute(async (trx) => {
   *   const publisher = await store.in(trx).publisher.create({ name: 'Four' })
   *   await store.in(trx).book.create({ title: 'Nib', publisherId: publisher.id, authors: [{ id: 1 }] })
   * })
   */
  in(db: AnyKysely): GuardedStore<M, C>
  /**
   * The same store in another database that has the same tables, such as the file or the schema of a tenant. What is
   * compiled for one is not compiled again for another, where all types of columns are equal and the plugins are the
   * same objects.
   *
   * @throws {TypeError} for a transaction, which is for {@link in}, and for what that database cannot do.
   *
   * @example
   * const ink = openSqlite('ink.sqlite', { resources })
   * await createTables(ink, resources)
   * const { rows } = await store.on(ink).book.list()
   */
  on(db: AnyKysely): GuardedStore<M, C>
}

/**
 * The stores of a service that has a database for each tenant, `db: { model, of }`. Each is a {@link Store}, or with
 * policies, tenants or `session` a {@link GuardedStore}.
 */
export interface DatabaseStores<S = GuardedStore> {
  on(db: AnyKysely): S
}

/** Whose records a store has, in a model with tenants. */
export interface WhoseRecords {
  /** The id of the tenant. */
  readonly tenant: Id
}

/** The store of the application itself. */
export type SystemStore<M extends Model = Model> = Store<M> & {
  /**
   * In a model with tenants: removes all records of one, in one transaction, but not the tenant. No rule runs for them.
   *
   * @throws {CrudError} `CRUD_ERR_NOT_FOUND` if the id is none.
   */
  purgeTenant(tenant: Id): Promise<void>
}

export interface StoreMethods<M extends Model = Model> extends GuardedStore<M> {
  /**
   * The records of the resource with that key, for keys that are not known before the program runs.
   *
   * @throws {TypeError} if the model has no such resource, or if its records are only reached through their owners.
   */
  resource<K extends TopKey<M>>(key: K): TopCollectionOf<M, K>
  /**
   * The rows of a resource's table that the caller may see, for a query of the application's own: an expression for
   * `selectFrom` and for joins, with the table's columns. A column that the caller's roles may not see is null in all
   * rows, and write-only ones are missing. Each statement has what policies and tenants say now.
   *
   * @throws {TypeError} if the model has no such resource.
   *
   * @example
   * const rows = await db
   *   .selectFrom(store.visible('book').as('b'))
   *   .innerJoin(store.visible('publisher').as('p'), 'p.id', 'b.publisherId')
   *   .select(['p.name', 'b.title'])
   *   .execute()
   */
  visible<K extends ResourceKey<M>>(key: K): RawBuilder<VisibleRow<M, K>>
  /** {@link BatchMethod} */
  readonly batch: BatchMethod
  in(db: AnyKysely): Store<M>
  on(db: AnyKysely): Store<M>
}

/**
 * What a store has for the records of a resource: without the methods that write, if its descriptor says
 * `writable: false`, and only `list`, if it says `id: false`. With `softDelete`, there is `restore` and `purge`, with a
 * trash `deleted`.
 */
export type CollectionOf<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> =
  IsWritable<M['descriptors'][K]> extends true
    ? Collection<M, K> & IfSoftDeleted<M, K> & IfHistory<M, K> & IfActs<M, K>
    : Pick<
        Collection<M, K>,
        [CollectionId<M, K>] extends [never] ? 'list' | 'group' : 'find' | 'list' | 'group' | 'owned'
      > &
        IfActs<M, K>

/** The same at the top: an owned resource with `topLevel` has the records of all owners there. */
export type TopCollectionOf<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
> = M['descriptors'][K] extends { readonly topLevel: true }
  ? Omit<Collection<M, K, 'top'>, 'owned'> & IfSoftDeleted<M, K, 'top'> & IfHistory<M, K, 'top'> & IfActs<M, K, 'top'>
  : CollectionOf<M, K>

/**
 * Records of one resource: those that are reached by its own route, or those that one record owns through one relation.
 *
 * A promise that is rejected is rejected with a `CrudError`, whose `code` says what happened: `CRUD_ERR_NOT_FOUND`,
 * among others, where an id names no record of this collection or of the owner, and `CRUD_ERR_INVALID` where it is no
 * id, such as the text `'1'` for an integer. `CRUD_ERR_TOO_LARGE`: the record or page is larger than
 * `limits.maxAnswer`; a write that is rejected so is done, or says that it is not.
 */
export interface Collection<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  P extends Place = 'owner',
> extends BulkMethods<M, K, P> {
  /**
   * The record with that id, with what `fields` and `include` choose. Its type has exactly this. Rejects with
   * `CRUD_ERR_NOT_FOUND` if there is no such record, with `CRUD_ERR_INVALID` for names that it does not have.
   *
   * Names in a variable need `as const`: of a record that a `string[]` chooses, only the id is known.
   *
   * @example
   * const book = await store.book.find(1, { fields: ['title', 'publisher.name', 'count(authors)'] })
   */
  find<const F extends readonly string[] = NotGiven, const I extends readonly string[] = NotGiven>(
    id: CollectionId<M, K, P>,
    options: FindOptions<M, K, F, I> | undefined,
  ): Promise<Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>>>
  /** The record with that id; rejects with `CRUD_ERR_NOT_FOUND` if there is none. */
  find(id: CollectionId<M, K, P>): Promise<Whole<M, K, P>>

  /**
   * One page of the records that match a filter, in the order of the sort keys; else all, by their ids. `fields` and
   * `include` choose what they have, as in `find`. `count` is there unless the options say `after` or `count: 'none'`,
   * or `limits.count` does. Rejects with `CRUD_ERR_INVALID` for what no such record has.
   *
   * @example
   * let page = await store.book.list({ sort: ['-title'] })
   * while (page.next !== undefined) page = await store.book.list({ sort: ['-title'], after: page.next, count: 'exact' })
   */
  list<
    const F extends readonly string[] = NotGiven,
    const I extends readonly string[] = NotGiven,
    C extends Count | undefined = undefined,
    A extends string | undefined = undefined,
  >(
    options: (ListOptions<M, K, F, I> & { readonly count?: C; readonly after?: A }) | undefined,
  ): Promise<Listing<Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>>, IsCounted<C, A>>>
  /** The first page of all records, by their ids. */
  list(): Promise<Listing<Whole<M, K, P>>>

  /**
   * One page of groups of the records that match a filter: what they have in common (`by`), and what is computed over
   * each group (`values`). Sorted by the sort keys, else by `by`. Sums and averages of integers and decimals are exact
   * decimals, as texts. Rejects with `CRUD_ERR_INVALID` for what no such record has, and if there are more than
   * `limits.groupRows` records to group.
   *
   * @example
   * const { rows } = await store.book.group({ by: ['publisherId'], values: ['count()'], sort: ['-count()'] })
   */
  group<const B extends GroupKeyName<M, K> = never, const V extends GroupValueName<M, K> = 'count()'>(
    options?: GroupOptions<M, K, B, V>,
  ): Promise<Grouping<GroupOf<M, K, B, V>>>

  /**
   * Stores a new record with everything that it owns; resolves to the record. The database gives its id, unless the
   * options do.
   *
   * Rejects with `CRUD_ERR_INVALID` or `CRUD_ERR_UNKNOWN_REFERENCE` for a body that does not fit, with
   * `CRUD_ERR_NOT_UNIQUE` for a value that is taken, with `CRUD_ERR_EXISTS` for an id or a place that is taken.
   */
  create(body: CreateBody<M, K, P>, options: CreateOptions<CollectionId<M, K, P>> & ReturnsEffects): Promise<Effects>
  create(
    body: CreateBody<M, K, P>,
    options: CreateOptions<CollectionId<M, K, P>> & DryRun,
  ): Promise<DryRunOf<Whole<M, K, P>>>
  create(
    body: CreateBody<M, K, P>,
    options?: CreateOptions<CollectionId<M, K, P>> & WriteOptions,
  ): Promise<Whole<M, K, P>>

  /**
   * Makes the record what the body says: what is left out becomes its default or null, owned records that are not
   * listed are removed. Resolves to the record. What `find` resolved to is a body that changes nothing.
   *
   * Rejects as `create` does, and with `CRUD_ERR_STILL_NEEDED` if a record that is to be removed is needed by another.
   */
  replace(id: CollectionId<M, K, P>, body: ReplaceBody<M, K, P>, options: ReturnsEffects): Promise<Effects>
  replace(id: CollectionId<M, K, P>, body: ReplaceBody<M, K, P>, options: DryRun): Promise<DryRunOf<Whole<M, K, P>>>
  replace(id: CollectionId<M, K, P>, body: ReplaceBody<M, K, P>, options?: WriteOptions): Promise<Whole<M, K, P>>

  /** Changes what is in the body and leaves the rest as it is; resolves to the record. Rejects as `replace` does. */
  patch(id: CollectionId<M, K, P>, body: PatchBody<M, K, P>, options: ReturnsEffects): Promise<Effects>
  patch(id: CollectionId<M, K, P>, body: PatchBody<M, K, P>, options: DryRun): Promise<DryRunOf<Whole<M, K, P>>>
  patch(id: CollectionId<M, K, P>, body: PatchBody<M, K, P>, options?: WriteOptions): Promise<Whole<M, K, P>>

  /**
   * Deletes the record with everything that it owns.
   *
   * Rejects with `CRUD_ERR_STILL_NEEDED`, and deletes nothing, if a record outside of what is to be deleted needs one
   * in it.
   */
  delete(id: CollectionId<M, K, P>, options: ReturnsEffects): Promise<Effects>
  delete(id: CollectionId<M, K, P>, options: DryRun): Promise<{ plan: Plan }>
  delete(id: CollectionId<M, K, P>, options?: WriteOptions): Promise<void>

  /**
   * The records that the record with that id owns through that relation; at most one, where it owns one. Whether the
   * owner is there is known when its records are used: all of the methods reject with `CRUD_ERR_NOT_FOUND` if it is
   * not.
   *
   * @throws {TypeError} if the resource has no such `owns` relation.
   */
  owned<R extends OwnsRelation<M, K>>(id: CollectionId<M, K, P>, relation: R): CollectionOf<M, OwnsTarget<M, K, R>>

  /**
   * The records that the record with that id is linked to through that `needs.many` or `knows.many`. Its methods reject
   * with `CRUD_ERR_NOT_FOUND` if the record is not there.
   *
   * @throws {TypeError} if the resource has no such relation.
   *
   * @example
   * await store.book.linked(1, 'authors').add(3)
   * const { rows } = await store.book.linked(1, 'authors').list({ sort: ['name'] })
   */
  linked<R extends LinkRelation<M, K>>(id: CollectionId<M, K, P>, relation: R): LinkedRecords<M, LinkTarget<M, K, R>>
}

/** The records that one record is linked to. */
export interface LinkedRecords<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> {
  /** One page of them, as all lists have it. */
  list: Collection<M, K, ListPlace<M, K>>['list']

  /**
   * Links the record to the one with that id, if it is not linked already. `before` says its place in an array that
   * keeps its order. It is a PATCH of the record: rejects as
   * `patch` does, and with `CRUD_ERR_NOT_FOUND` if there is no record with that id.
   */
  add(id: CollectionId<M, K, 'top'>, options: ReturnsEffects & LinkPlace<CollectionId<M, K, 'top'>>): Promise<Effects>
  add(id: CollectionId<M, K, 'top'>, options: DryRun & LinkPlace<CollectionId<M, K, 'top'>>): Promise<{ plan: Plan }>
  add(id: CollectionId<M, K, 'top'>, options?: WriteOptions & LinkPlace<CollectionId<M, K, 'top'>>): Promise<void>

  /**
   * Removes the link to the record with that id, if there is one. Rejects as `patch` does, and with
   * `CRUD_ERR_STILL_NEEDED` if it is the last one of a `needs.many`.
   */
  remove(id: CollectionId<M, K, 'top'>, options: ReturnsEffects): Promise<Effects>
  remove(id: CollectionId<M, K, 'top'>, options: DryRun): Promise<{ plan: Plan }>
  remove(id: CollectionId<M, K, 'top'>, options?: WriteOptions): Promise<void>
}

/** Where lists show records that are reached without naming their owners. */
type ListPlace<M extends Model, K extends ResourceKey<M>> = M['descriptors'][K] extends { readonly topLevel: true }
  ? 'top'
  : 'owner'
