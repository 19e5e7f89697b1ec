import type { Model } from '@fastify-crud/core/types'
import type { Client } from '../types/client.ts'
import { askedBy, invalidateShown } from './invalidate.ts'
import { afterwards, type ExpectedChange } from './optimistic.ts'
import type { Queries, QueryClientOf } from './query-types.ts'
import { type AskedQuery, changedBy, type QueryPlace, resourcesAt, type WriteKind } from './reach.ts'

/** How queries are made. */
export interface QueriesOptions {
  /** Tells the queries of several clients in one query client apart. Default: `'crud'`. */
  readonly name?: string
}

// biome-ignore lint/suspicious/noExplicitAny: what a collection takes and answers, only its types know
type Any = any

/**
 * Options of queries and mutations of TanStack Query 5, for React, Vue, Solid, Svelte and Angular alike.
 *
 * Goes in: a client, and the query client whose queries its writes make stale.
 *
 * @example
 * const q = createQueries(api, queryClient)
 * const { rows } = await queryClient.fetchQuery(q.book.list({ sort: ['title'] }))
 */
export function createQueries<M extends Model, A>(
  api: Client<M, A>,
  queryClient: QueryClientOf,
  { name = 'crud' }: QueriesOptions = {},
): Queries<M, A> {
  const cache = () => queryClient.getQueryCache().findAll()
  const asked = (query: { readonly meta: unknown }) => askedBy(query, name)

  /** Makes all queries stale that show what a write may have changed. */
  const invalidate = async (place: QueryPlace, kind: WriteKind): Promise<void> => {
    const model = await api.model()
    await invalidateShown(queryClient, name, model, changedBy(model, place, kind))
  }

  /** Shows what a write will do before it is done. Returns what undoes it. */
  const expect = async (place: QueryPlace, change: ExpectedChange): Promise<() => void> => {
    const model = await api.model()
    const key = resourcesAt(model, place)?.at(-1)
    const isAlike = (other: QueryPlace) => {
      // Below an owner, ids of several parts are shorter.
      if (JSON.stringify(other) === JSON.stringify(place)) return true
      const isPlain = key !== undefined && model.resources[key]?.id?.kind !== 'composite'
      return isPlain && resourcesAt(model, other)?.at(-1) === key
    }
    const concerned = cache().filter((query) => {
      const of = asked(query)
      return of !== undefined && isAlike(of.place)
    })
    const hashes = new Set(concerned.map(({ queryHash }) => queryHash))
    await queryClient.cancelQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) })
    const before = concerned.flatMap((query) => {
      const { data } = query.state
      const after = afterwards(data, asked(query) as AskedQuery, change)
      if (after === data || after === undefined) return []
      queryClient.setQueryData(query.queryKey, after)
      return [[query.queryKey, data] as const]
    })
    return () => {
      for (const [key, data] of before) queryClient.setQueryData(key, data)
    }
  }

  const collectionQueries = (place: QueryPlace, collection: Any): object => {
    const query = (method: AskedQuery['method'], id: readonly unknown[], options: Any, run: (rest: object) => Any) => {
      const { signal: _, headers, retries, ...plain } = options ?? {}
      const meta: Record<string, AskedQuery> = { [name]: { place, method, options: plain } }
      const isPlain = Object.keys(plain).length === 0
      const queryKey = [...place, method, ...id, ...(isPlain ? [] : [plain])]
      const given = { ...plain, ...(headers && { headers }), ...(retries !== undefined && { retries }) }
      return {
        queryKey,
        meta,
        queryFn: (context: { readonly signal: AbortSignal }) => run({ ...given, signal: context.signal }),
      }
    }
    const mutation = (
      kind: WriteKind,
      run: (variables: Any) => Promise<unknown>,
      expected?: (variables: Any) => ExpectedChange,
    ) => ({
      mutationFn: run,
      ...(expected && { onMutate: (variables: Any) => expect(place, expected(variables)) }),
      onError: (_error: unknown, _variables: unknown, undo: (() => void) | undefined) => undo?.(),
      // Also behind an error: a conflict says that what is shown is out of date.
      onSettled: () => invalidate(place, kind),
    })
    const idOf = (target: Any) => (typeof target === 'object' && target !== null ? target.id : target)
    return {
      find: (id: Any, options?: Any) => query('find', [id], options, (rest) => collection.find(id, rest)),
      list: (options?: Any) => query('list', [], options, (rest) => collection.list(rest)),
      pages: (options?: Any) => ({
        ...query('pages', [], options, (rest) => collection.list(rest)),
        queryFn: ({ pageParam: after, signal }: { readonly pageParam: unknown; readonly signal: AbortSignal }) =>
          collection.list({ ...options, after, signal }),
        initialPageParam: undefined,
        getNextPageParam: ({ next }: { readonly next?: string }) => next,
      }),
      group: (options?: Any) => query('group', [], options, (rest) => collection.group(rest)),
      owned: (id: Any, relation: string) => collectionQueries([...place, id, relation], collection.owned(id, relation)),
      linked(id: Any, relation: string) {
        const linked = collection.linked(id, relation)
        const at: QueryPlace = [...place, id, relation]
        const { list, pages } = collectionQueries(at, linked) as Record<string, unknown>
        return {
          list,
          pages,
          add: () => mutation('link', ({ id: linkedId, ...options }) => linked.add(linkedId, options)),
          remove: () => mutation('link', ({ id: linkedId, ...options }) => linked.remove(linkedId, options)),
        }
      },
      create: () => mutation('create', ({ body, ...options }) => collection.create(body, options)),
      replace: () => mutation('update', ({ target, body, ...options }) => collection.replace(target, body, options)),
      patch: ({ optimistic = false } = {}) =>
        mutation(
          'update',
          ({ target, body, ...options }) => collection.patch(target, body, options),
          optimistic ? ({ target, body }) => ({ id: idOf(target), body }) : undefined,
        ),
      delete: ({ optimistic = false } = {}) =>
        mutation(
          'delete',
          ({ target, ...options }) => collection.delete(target, options),
          optimistic ? ({ target }) => ({ id: idOf(target), body: undefined }) : undefined,
        ),
      createMany: () => mutation('create', ({ bodies, ...options }) => collection.createMany(bodies, options)),
      replaceMany: () => mutation('update', ({ bodies, ...options }) => collection.replaceMany(bodies, options)),
      patchMany: () => mutation('update', ({ bodies, ...options }) => collection.patchMany(bodies, options)),
      upsert: () => mutation('update', ({ body, ...options }) => collection.upsert(body, options)),
      upsertMany: () => mutation('update', ({ bodies, ...options }) => collection.upsertMany(bodies, options)),
      patchMatching: () =>
        mutation('update', ({ filter, maxAffected, body, ...options }) =>
          collection.patchMatching({ filter, maxAffected }, body, options),
        ),
      deleteMatching: () =>
        mutation('delete', ({ filter, maxAffected, ...options }) =>
          collection.deleteMatching({ filter, maxAffected }, options),
        ),
      restore: () => mutation('update', ({ target, ...options }) => collection.restore(target, options)),
      purge: () => mutation('delete', ({ target, ...options }) => collection.purge(target, options)),
      act: (action: string) =>
        mutation({ act: action }, ({ target, body, ...options }) =>
          target === undefined ? collection.act(action, body, options) : collection.act(target, action, body, options),
        ),
      get deleted() {
        const { find, list, pages } = collectionQueries([...place, '$deleted'], collection.deleted) as Record<
          string,
          unknown
        >
        return { find, list, pages }
      },
    }
  }

  const resource = (key: string) => collectionQueries([key], (api as Any).resource(key))
  return new Proxy(
    { resource },
    {
      get: (methods, key) => {
        if (typeof key !== 'string' || key === 'then') return undefined
        return key === 'resource' ? methods.resource : resource(key)
      },
    },
  ) as unknown as Queries<M, A>
}
