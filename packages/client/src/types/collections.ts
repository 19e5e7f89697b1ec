import type {
  ActionAnswer,
  ActionInput,
  ActionNameOn,
  ActionsIn,
  AtMoment,
  ChosenIn,
  CollectionId,
  Count,
  CreateBody,
  DeletedContents,
  DeletedListOptions,
  DeletedRecord,
  Effects,
  FindOptions,
  Grouping,
  GroupKeyName,
  GroupOf,
  GroupOptions,
  GroupValueName,
  HistoryEntry,
  HistoryListing,
  HistoryOptions,
  IsCounted,
  IsWritable,
  KeepsHistory,
  LinkRelation,
  LinkTarget,
  Listing,
  ListOptions,
  Model,
  NotGiven,
  OwnsRelation,
  OwnsTarget,
  PatchBody,
  Place,
  QueryOfAction,
  ReplaceBody,
  ResourceKey,
  Shown,
  Whole,
  WholeThen,
} from '@fastify-crud/core/types'
import type { RequestOptions } from '../transport.ts'
import type { ByUniqueKey, ClientCreateOptions, ClientWriteOptions, MatchingRecords, TargetOfWrite } from './options.ts'

/** Names in `fields` or `include`. */
type Texts = readonly string[]

/** A whole record with its ETag, which `patch`, `replace`, `delete` and `act` send as `If-Match`. */
export type Etagged<R> = R & { $etag: string }

/** What is read where neither `fields` nor `include` says what records have: whole records. */
type IfWhole<F extends Texts, I extends Texts, Yes, No> = [F, I] extends [NotGiven, NotGiven] ? Yes : No

/** A record as `find` resolves to it. */
export type FoundRecord<
  M extends Model,
  K extends ResourceKey<M>,
  P extends Place,
  F extends Texts,
  I extends Texts,
> = IfWhole<F, I, Etagged<Whole<M, K, P>>, Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>>>

/** A row of a list. `E`: the option `etags`. */
export type ListRow<
  M extends Model,
  K extends ResourceKey<M>,
  P extends Place,
  F extends Texts,
  I extends Texts,
  E,
> = IfWhole<
  F,
  I,
  true extends E ? Etagged<Whole<M, K, P>> : Whole<M, K, P>,
  Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>>
>

/** Of a list. */
interface EtagOption<E> {
  /** Each whole row has its ETag. Default: false. */
  readonly etags?: E
}

/** What every collection can be asked. */
export interface ReadMethods<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> {
  /**
   * One page of records, as the store's `list`. A query that is too long for a URL is sent as a body.
   *
   * Rejects with a `ServiceError`: 400 for what no such record has, 404 if an owner is not there.
   */
  list<
    const F extends Texts = NotGiven,
    const I extends Texts = NotGiven,
    C extends Count | undefined = undefined,
    A extends string | undefined = undefined,
    E extends boolean = false,
  >(
    options: ListOptions<M, K, F, I> & { readonly count?: C; readonly after?: A } & EtagOption<E> & RequestOptions,
  ): Promise<Listing<ListRow<M, K, P, F, I, E>, IsCounted<C, A>>>
  list(): Promise<Listing<Whole<M, K, P>>>

  /** All records of a list, page by page: `for await (const book of api.book.all({ sort: ['title'] }))`. */
  all<const F extends Texts = NotGiven, const I extends Texts = NotGiven, E extends boolean = false>(
    options?: Omit<ListOptions<M, K, F, I>, 'count' | 'after' | 'offset'> & EtagOption<E> & RequestOptions,
  ): AsyncGenerator<ListRow<M, K, P, F, I, E>, void, undefined>

  /** One page of groups, as the store's `group`; with `groups: true` in the descriptor. */
  group<const B extends GroupKeyName<M, K> = never, const V extends GroupValueName<M, K> = 'count()'>(
    options?: GroupOptions<M, K, B, V> & RequestOptions,
  ): Promise<Grouping<GroupOf<M, K, B, V>>>
}

/** Of resources whose records have ids. */
export interface FindMethods<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> {
  /** The record with that id: a whole one with its `$etag`, or what `fields` and `include` choose. Rejects with a
   * `ServiceError` of 404 if it is not there. */
  find<const F extends Texts = NotGiven, const I extends Texts = NotGiven>(
    id: CollectionId<M, K, P>,
    options: FindOptions<M, K, F, I> & RequestOptions,
  ): Promise<FoundRecord<M, K, P, F, I>>
  find(id: CollectionId<M, K, P>): Promise<Etagged<Whole<M, K, P>>>
}

/**
 * What changes records. A write that names a record by itself sends its ETag, and rejects with a `ConflictError` if it
 * has changed; one that names an id is done whatever its state is.
 *
 * A write that is done and whose record the service does not show rejects with `CRUD_ERR_TOO_LARGE`, and says so.
 */
export interface WriteMethods<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> {
  /** Creates a record with all that it owns. */
  create(
    body: CreateBody<M, K, P>,
    options?: ClientCreateOptions<CollectionId<M, K, P>>,
  ): Promise<Etagged<Whole<M, K, P>>>
  /** Makes the record what the body says. */
  replace(
    target: TargetOfWrite<M, K, P>,
    body: ReplaceBody<M, K, P>,
    options?: ClientWriteOptions,
  ): Promise<Etagged<Whole<M, K, P>>>
  /** Changes what is in the body. */
  patch(
    target: TargetOfWrite<M, K, P>,
    body: PatchBody<M, K, P>,
    options?: ClientWriteOptions,
  ): Promise<Etagged<Whole<M, K, P>>>
  /** Deletes the record with all that it owns. */
  delete(target: TargetOfWrite<M, K, P>, options?: ClientWriteOptions): Promise<void>

  /** Creates all records or none. */
  createMany(bodies: readonly CreateBody<M, K, P>[], options?: ClientWriteOptions): Promise<Rows<Whole<M, K, P>>>
  /** Makes all records what their bodies say, or none. */
  replaceMany(
    bodies: readonly (ReplaceBody<M, K, P> & WithId<M, K, P>)[],
    options?: ClientWriteOptions,
  ): Promise<Rows<Whole<M, K, P>>>
  /** Changes all records or none. */
  patchMany(
    bodies: readonly (PatchBody<M, K, P> & WithId<M, K, P>)[],
    options?: ClientWriteOptions,
  ): Promise<Rows<Whole<M, K, P>>>
  /** Makes the record that has the body's values of a unique key what the body says, or creates it. */
  upsert(
    body: CreateBody<M, K, P>,
    options: ByUniqueKey & ClientWriteOptions,
  ): Promise<{ record: Etagged<Whole<M, K, P>>; isNew: boolean }>
  /** The same for many records, all or none. */
  upsertMany(
    bodies: readonly CreateBody<M, K, P>[],
    options: ByUniqueKey & ClientWriteOptions,
  ): Promise<Rows<Whole<M, K, P>>>
  /** Changes all records that match a filter, or none. */
  patchMatching(
    which: MatchingRecords<M, K>,
    body: PatchBody<M, K, P>,
    options?: ClientWriteOptions,
  ): Promise<{ count: number }>
  /** Deletes all records that match a filter, or none. */
  deleteMatching(which: MatchingRecords<M, K>, options?: ClientWriteOptions): Promise<{ count: number }>
}

interface Rows<R> {
  rows: R[]
}

interface WithId<M extends Model, K extends ResourceKey<M>, P extends Place> {
  readonly id: CollectionId<M, K, P>
}

/** What leads from a record to others. */
export interface Paths<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> {
  /** The records that the record with that id owns through that relation. */
  owned<R extends OwnsRelation<M, K>>(id: CollectionId<M, K, P>, relation: R): ClientCollection<M, OwnsTarget<M, K, R>>
}

export interface Linking<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> {
  /** The records that the record with that id is linked to. */
  linked<R extends LinkRelation<M, K>>(id: CollectionId<M, K, P>, relation: R): ClientLinks<M, LinkTarget<M, K, R>>
}

/** What a write would do, and what does exactly that. */
export interface Preview<R> extends Effects {
  /**
   * Does the write, if these are still its effects. Rejects with an `EffectsChangedError` that has a preview of what it
   * would do now if they are not, and as the write itself does.
   */
  confirm(): Promise<R>
}

/** The same methods, which show what they would do. */
type Previews<Methods> = {
  readonly [N in keyof Methods]: Methods[N] extends (...input: infer Input) => Promise<infer R>
    ? (...input: Input) => Promise<Preview<R>>
    : never
}

/** The records that one record is linked to. */
export interface ClientLinks<M extends Model, K extends ResourceKey<M>> extends LinkWrites<M, K> {
  readonly preview: Previews<LinkWrites<M, K>>
  /** One page of them. */
  list: ReadMethods<M, K, LinkedPlace<M, K>>['list']
}

interface LinkWrites<M extends Model, K extends ResourceKey<M>> {
  /** Links the record to the one with that id, in front of another one where the array keeps its order. */
  add(
    id: CollectionId<M, K, 'top'>,
    options?: ClientWriteOptions & { readonly before?: CollectionId<M, K, 'top'> | null },
  ): Promise<void>
  remove(id: CollectionId<M, K, 'top'>, options?: ClientWriteOptions): Promise<void>
}

type LinkedPlace<M extends Model, K extends ResourceKey<M>> = M['descriptors'][K] extends { readonly topLevel: true }
  ? 'top'
  : 'owner'

interface RestoreMethods<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /** Brings back a deleted record. */
  restore(target: TargetOfWrite<M, K, P>, options?: ClientWriteOptions): Promise<Etagged<Whole<M, K, P>>>
}

/** Of resources that are only marked as deleted. */
interface TrashMethods<M extends Model, K extends ResourceKey<M>, P extends Place> extends RestoreMethods<M, K, P> {
  readonly deleted: {
    find<const F extends Texts = NotGiven, const I extends Texts = NotGiven>(
      id: CollectionId<M, K, P>,
      options: DeletedContents<M, K, F, I> & RequestOptions,
    ): Promise<IfWhole<F, I, Etagged<DeletedRecord<M, K, P, F, I>>, DeletedRecord<M, K, P, F, I>>>
    find(id: CollectionId<M, K, P>): Promise<Etagged<DeletedRecord<M, K, P, NotGiven, NotGiven>>>
    list<
      const F extends Texts = NotGiven,
      const I extends Texts = NotGiven,
      C extends Count | undefined = undefined,
      A extends string | undefined = undefined,
    >(
      options?: DeletedListOptions<M, K, F, I> & { readonly count?: C; readonly after?: A } & RequestOptions,
    ): Promise<Listing<DeletedRecord<M, K, P, F, I>, IsCounted<C, A>>>
    all<const F extends Texts = NotGiven, const I extends Texts = NotGiven>(
      options?: Omit<DeletedListOptions<M, K, F, I>, 'count' | 'after' | 'offset'> & RequestOptions,
    ): AsyncGenerator<DeletedRecord<M, K, P, F, I>, void, undefined>
  }
}

interface PurgeMethods<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /** Removes a deleted record for good. */
  purge(target: TargetOfWrite<M, K, P>, options?: ClientWriteOptions): Promise<void>
}

type IfTrash<M extends Model, K extends ResourceKey<M>, P extends Place> = M['descriptors'][K] extends {
  readonly softDelete: { readonly trash: infer Trash }
}
  ? TrashMethods<M, K, P> & (Trash extends { readonly purge: true } ? PurgeMethods<M, K, P> : unknown)
  : unknown

interface UndoMethods<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /** Undoes a write that has touched the record. Resolves to the record, or to undefined if that is gone. */
  undo(
    target: TargetOfWrite<M, K, P>,
    write: string,
    options?: ClientWriteOptions,
  ): Promise<Etagged<Whole<M, K, P>> | undefined>
}

/** Of records of which a history is kept. */
interface HistoryMethods<M extends Model, K extends ResourceKey<M>, P extends Place> extends UndoMethods<M, K, P> {
  /** A page of the writes that have touched the record, the newest first. */
  history(id: CollectionId<M, K, P>, options?: HistoryOptions & RequestOptions): Promise<HistoryListing>
  /** The record as it was at a moment, without computed fields and without an ETag. Related records are as they are
   * now. */
  find(id: CollectionId<M, K, P>, options: AtMoment & RequestOptions): Promise<WholeThen<M, K, P>>
  historyEntry(id: CollectionId<M, K, P>, write: string, options?: RequestOptions): Promise<HistoryEntry>
}

type IfHistory<M extends Model, K extends ResourceKey<M>, P extends Place> =
  KeepsHistory<M['descriptors'], K> extends true ? HistoryMethods<M, K, P> : unknown

/** What a collection shows first, and does when it is confirmed. */
type PreviewsOf<M extends Model, K extends ResourceKey<M>, P extends Place> = Previews<WriteMethods<M, K, P>> &
  (KeepsHistory<M['descriptors'], K> extends true ? Previews<UndoMethods<M, K, P>> : unknown) &
  ([ActionsIn<M, K>] extends [never] ? unknown : { readonly act: ActPreview<M, K, P, ActionsIn<M, K>> }) &
  (M['descriptors'][K] extends { readonly softDelete: { readonly trash: infer Trash } }
    ? Previews<RestoreMethods<M, K, P>> &
        (Trash extends { readonly purge: true } ? Previews<PurgeMethods<M, K, P>> : unknown)
    : unknown)

/** What a collection has besides, if its resource has actions. */
type IfActs<M extends Model, K extends ResourceKey<M>, P extends Place> = [ActionsIn<M, K>] extends [never]
  ? unknown
  : { readonly act: Act<M, K, P, ActionsIn<M, K>> }

/** Carries out an action of the application: of a record, by itself or its id, or of the collection. */
interface Act<M extends Model, K extends ResourceKey<M>, P extends Place, A> {
  <N extends ActionNameOn<A, 'record'>>(
    target: TargetOfWrite<M, K, P>,
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<ActionAnswer<A[N], Etagged<Whole<M, K, P>> | undefined>>
  <N extends ActionNameOn<A, 'list'>>(
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<ActionAnswer<A[N], undefined>>
}

interface ActPreview<M extends Model, K extends ResourceKey<M>, P extends Place, A> {
  <N extends ActionNameOn<A, 'record'>>(
    target: TargetOfWrite<M, K, P>,
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<Preview<ActionAnswer<A[N], Etagged<Whole<M, K, P>> | undefined>>>
  <N extends ActionNameOn<A, 'list'>>(
    name: N,
    ...input: ActionInput<A[N], ActOptions<QueryOfAction<A[N]>>>
  ): Promise<Preview<ActionAnswer<A[N], undefined>>>
}

interface ActOptions<Q> extends ClientWriteOptions {
  readonly query?: Q
}

/** Records of one resource: those at its own path, or those that one record owns through one relation. */
export type ClientCollection<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  P extends Place = 'owner',
> = ReadMethods<M, K, P> &
  IfActs<M, K, P> &
  ([CollectionId<M, K, P>] extends [never]
    ? unknown
    : FindMethods<M, K, P> &
        (P extends 'top' ? unknown : Paths<M, K, P>) &
        (IsWritable<M['descriptors'][K]> extends true
          ? WriteMethods<M, K, P> &
              Linking<M, K, P> &
              IfTrash<M, K, P> &
              IfHistory<M, K, P> & {
                /** The same writes, which show what they would do, and do exactly that when they are confirmed. */
                readonly preview: PreviewsOf<M, K, P>
              }
          : unknown))
