import type {
  ActionAnswer,
  ActionInput,
  ActionNameOn,
  ActionsIn,
  CollectionId,
  Count,
  FindOptions,
  Grouping,
  GroupKeyName,
  GroupOf,
  GroupOptions,
  GroupValueName,
  IsCounted,
  IsWritable,
  LinkRelation,
  LinkTarget,
  Listing,
  ListOptions,
  Model,
  NotGiven,
  OwnsRelation,
  OwnsTarget,
  Place,
  QueryOfAction,
  ResourceKey,
  TopKey,
  Whole,
  WithActions,
} from '@fastify-crud/core/types'
import type { RequestOptions } from '../transport.ts'
import type { Etagged, FoundRecord, ListRow, WriteMethods } from '../types/collections.ts'
import type {
  ByUniqueKey,
  ClientCreateOptions,
  ClientWriteOptions,
  MatchingRecords,
  TargetOfWrite,
} from '../types/options.ts'

/** What is used of TanStack's `QueryClient`. */
export interface QueryClientOf {
  getQueryCache(): { findAll(): readonly CachedQuery[] }
  invalidateQueries(filters: { predicate(query: CachedQuery): boolean }): Promise<void>
  cancelQueries(filters: { predicate(query: CachedQuery): boolean }): Promise<void>
  setQueryData(key: readonly unknown[], data: unknown): unknown
}

interface CachedQuery {
  readonly queryKey: readonly unknown[]
  readonly queryHash: string
  readonly meta: unknown
  readonly state: { readonly data: unknown }
}

/** The options of a query, in the form of TanStack's core. */
export interface QueryOptionsOf<Data> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>
  readonly meta: Record<string, unknown>
}

/** The options of an infinite query, which goes on behind the cursor of the page before. */
export interface InfiniteOptionsOf<Page> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal; readonly pageParam: string | undefined }) => Promise<Page>
  readonly initialPageParam: string | undefined
  readonly getNextPageParam: (page: Page) => string | undefined
  readonly meta: Record<string, unknown>
}

/** The options of a mutation. When it is settled, all queries are stale that show what it may have changed. */
export interface MutationOptionsOf<Data, Variables> {
  readonly mutationFn: (variables: Variables) => Promise<Data>
  readonly onMutate?: (variables: Variables) => Promise<Undo>
  readonly onError: (error: Error, variables: Variables, undo: Undo | undefined) => void
  readonly onSettled: () => Promise<void>
}

type Undo = () => void

/** Whether what a write will do is shown before it is done, and taken back if it fails. */
interface Optimistic {
  readonly optimistic?: boolean
}

type Texts = readonly string[]

type InPage<M extends Model, K extends ResourceKey<M>, F extends Texts, I extends Texts, E> = Omit<
  ListOptions<M, K, F, I>,
  'after' | 'offset'
> & { readonly etags?: E } & RequestOptions

interface PageQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /** A page, as the client's `list`. */
  list<
    const F extends Texts = NotGiven,
    const I extends Texts = NotGiven,
    C extends Count | undefined = undefined,
    A extends string | undefined = undefined,
    E extends boolean = false,
  >(
    options?: ListOptions<M, K, F, I> & {
      readonly count?: C
      readonly after?: A
      readonly etags?: E
    } & RequestOptions,
  ): QueryOptionsOf<Listing<ListRow<M, K, P, F, I, E>, IsCounted<C, A>>>
  /** Page after page, for an infinite query. */
  pages<const F extends Texts = NotGiven, const I extends Texts = NotGiven, E extends boolean = false>(
    options?: InPage<M, K, F, I, E>,
  ): InfiniteOptionsOf<Listing<ListRow<M, K, P, F, I, E>, false>>
}

interface ReadQueries<M extends Model, K extends ResourceKey<M>, P extends Place> extends PageQueries<M, K, P> {
  group<const B extends GroupKeyName<M, K> = never, const V extends GroupValueName<M, K> = 'count()'>(
    options?: GroupOptions<M, K, B, V> & RequestOptions,
  ): QueryOptionsOf<Grouping<GroupOf<M, K, B, V>>>
}

interface FindQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /** A record, as the client's `find`. */
  find<const F extends Texts = NotGiven, const I extends Texts = NotGiven>(
    id: CollectionId<M, K, P>,
    options?: FindOptions<M, K, F, I> & RequestOptions,
  ): QueryOptionsOf<FoundRecord<M, K, P, F, I>>
}

type Body<Method extends (...input: never) => unknown, Position extends 0 | 1> = Parameters<Method>[Position]

/** The writes of the client, each with its arguments as one object. */
interface WriteQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  create(): MutationOptionsOf<
    Etagged<Whole<M, K, P>>,
    { readonly body: Body<WriteMethods<M, K, P>['create'], 0> } & ClientCreateOptions<CollectionId<M, K, P>>
  >
  replace(): MutationOptionsOf<
    Etagged<Whole<M, K, P>>,
    {
      readonly target: TargetOfWrite<M, K, P>
      readonly body: Body<WriteMethods<M, K, P>['replace'], 1>
    } & ClientWriteOptions
  >
  patch(options?: Optimistic): MutationOptionsOf<
    Etagged<Whole<M, K, P>>,
    {
      readonly target: TargetOfWrite<M, K, P>
      readonly body: Body<WriteMethods<M, K, P>['patch'], 1>
    } & ClientWriteOptions
  >
  delete(
    options?: Optimistic,
  ): MutationOptionsOf<void, { readonly target: TargetOfWrite<M, K, P> } & ClientWriteOptions>
  createMany(): MutationOptionsOf<Rows<M, K, P>, Bodies<WriteMethods<M, K, P>['createMany']>>
  replaceMany(): MutationOptionsOf<Rows<M, K, P>, Bodies<WriteMethods<M, K, P>['replaceMany']>>
  patchMany(): MutationOptionsOf<Rows<M, K, P>, Bodies<WriteMethods<M, K, P>['patchMany']>>
  upsert(): MutationOptionsOf<
    { record: Etagged<Whole<M, K, P>>; isNew: boolean },
    { readonly body: Body<WriteMethods<M, K, P>['upsert'], 0> } & ByUniqueKey & ClientWriteOptions
  >
  upsertMany(): MutationOptionsOf<Rows<M, K, P>, Bodies<WriteMethods<M, K, P>['upsertMany']> & ByUniqueKey>
  patchMatching(): MutationOptionsOf<
    { count: number },
    MatchingRecords<M, K> & { readonly body: Body<WriteMethods<M, K, P>['patchMatching'], 1> } & ClientWriteOptions
  >
  deleteMatching(): MutationOptionsOf<{ count: number }, MatchingRecords<M, K> & ClientWriteOptions>
}

interface Rows<M extends Model, K extends ResourceKey<M>, P extends Place> {
  rows: Whole<M, K, P>[]
}

type Bodies<Method extends (...input: never) => unknown> = {
  readonly bodies: Parameters<Method>[0]
} & ClientWriteOptions

interface PathQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  owned<R extends OwnsRelation<M, K>>(id: CollectionId<M, K, P>, relation: R): CollectionQueries<M, OwnsTarget<M, K, R>>
}

interface LinkQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  linked<R extends LinkRelation<M, K>>(
    id: CollectionId<M, K, P>,
    relation: R,
  ): PageQueries<M, LinkTarget<M, K, R>, 'owner'> & {
    add(): MutationOptionsOf<void, LinkVariables<M, LinkTarget<M, K, R>>>
    remove(): MutationOptionsOf<void, Omit<LinkVariables<M, LinkTarget<M, K, R>>, 'before'>>
  }
}

interface LinkVariables<M extends Model, K extends ResourceKey<M>> extends ClientWriteOptions {
  readonly id: CollectionId<M, K, 'top'>
  readonly before?: CollectionId<M, K, 'top'> | null
}

interface TrashQueries<M extends Model, K extends ResourceKey<M>, P extends Place> {
  restore(): MutationOptionsOf<
    Etagged<Whole<M, K, P>>,
    { readonly target: TargetOfWrite<M, K, P> } & ClientWriteOptions
  >
  purge(): MutationOptionsOf<void, { readonly target: TargetOfWrite<M, K, P> } & ClientWriteOptions>
  readonly deleted: PageQueries<M, K, P> & FindQueries<M, K, P>
}

type IfActs<M extends Model, K extends ResourceKey<M>, P extends Place> = [ActionsIn<M, K>] extends [never]
  ? unknown
  : { readonly act: ActQueries<M, K, P, ActionsIn<M, K>> }

interface ActQueries<M extends Model, K extends ResourceKey<M>, P extends Place, A> {
  <N extends ActionNameOn<A, 'record'>>(
    name: N,
  ): MutationOptionsOf<
    ActionAnswer<A[N], Etagged<Whole<M, K, P>> | undefined>,
    { readonly target: TargetOfWrite<M, K, P> } & ActVariables<A[N]>
  >
  <N extends ActionNameOn<A, 'list'>>(name: N): MutationOptionsOf<ActionAnswer<A[N], undefined>, ActVariables<A[N]>>
}

type ActVariables<D> = (undefined extends ActionInput<D, never>[0]
  ? { readonly body?: ActionInput<D, never>[0] }
  : { readonly body: ActionInput<D, never>[0] }) & { readonly query?: QueryOfAction<D> } & ClientWriteOptions

/** The queries and mutations of one collection. */
export type CollectionQueries<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = ReadQueries<
  M,
  K,
  P
> &
  IfActs<M, K, P> &
  ([CollectionId<M, K, P>] extends [never]
    ? unknown
    : FindQueries<M, K, P> &
        (P extends 'top' ? unknown : PathQueries<M, K, P>) &
        (IsWritable<M['descriptors'][K]> extends true
          ? WriteQueries<M, K, P> &
              LinkQueries<M, K, P> &
              (M['descriptors'][K] extends { readonly softDelete: { readonly trash: unknown } }
                ? TrashQueries<M, K, P>
                : unknown)
          : unknown))

/** The queries and mutations of a client: a collection for each resource that the client has. */
export type Queries<M extends Model, A = unknown> = {
  readonly [K in Exclude<TopKey<M>, 'resource'>]: TopQueries<WithActions<M, A>, K & TopKey<WithActions<M, A>>>
} & { resource<K extends TopKey<M>>(key: K): TopQueries<WithActions<M, A>, K & TopKey<WithActions<M, A>>> }

type TopQueries<M extends Model, K extends TopKey<M>> = M['descriptors'][K] extends { readonly topLevel: true }
  ? CollectionQueries<M, K, 'top'>
  : CollectionQueries<M, K>
