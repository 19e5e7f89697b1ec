import { ConflictError, createClient } from '@fastify-crud/client'
import { createQueries, type MutationOptionsOf } from '@fastify-crud/client/query'
import {
  dehydrate,
  hydrate,
  InfiniteQueryObserver,
  MutationObserver,
  type MutationObserverOptions,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { actions, shop } from './shop.ts'
import { useService } from './use-service.ts'

describeOnBoth('queries of TanStack Query', (database) => {
  const rules = { order: { afterWrite: () => undefined } }
  const service = useService(database, shop, { actions, rules } as never)
  let queryClient: QueryClient
  let filled = 0
  beforeEach(() => {
    queryClient = new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
    })
  })

  /** A client with a publisher, an author, a tag and a book, and its queries. */
  const fill = async () => {
    const api = createClient<typeof shop, typeof actions>({ url: service.url })
    const q = createQueries(api, queryClient)
    filled += 1
    const publisher = await api.publisher.create({ name: `Ink ${filled}` })
    const author = await api.author.create({ name: 'Ada' })
    const tag = await api.tag.create({ id: `a${filled}`, name: 'new' })
    const book = await api.book.create({
      title: 'Plans',
      publisherId: publisher.id,
      authors: [author],
      tags: [tag],
      chapters: [{ title: 'One' }],
    })
    return { api, q, publisher, author, tag, book }
  }

  const mutate = <Data, Variables>(options: MutationOptionsOf<Data, Variables>, variables: Variables) =>
    new MutationObserver<Data, Error, Variables>(
      queryClient,
      options as MutationObserverOptions<Data, Error, Variables>,
    ).mutate(variables)

  test('read what the client reads, under keys that begin with the resource', async () => {
    const { q, book } = await fill()
    const found = q.book.find(book.id)
    expect(found.queryKey).toEqual(['book', 'find', book.id])
    expect(await queryClient.fetchQuery(found)).toEqual(book)
    const list = q.book.list({ filter: { title: 'Plans' }, sort: ['title'], etags: true })
    expect(list.queryKey).toEqual(['book', 'list', { filter: { title: 'Plans' }, sort: ['title'], etags: true }])
    expect((await queryClient.fetchQuery(list)).rows).toEqual([book])
    const chapters = q.book.owned(book.id, 'chapters').list()
    expect(chapters.queryKey).toEqual(['book', book.id, 'chapters', 'list'])
    expect((await queryClient.fetchQuery(chapters)).rows).toEqual(book.chapters)
    expect((await queryClient.fetchQuery(q.book.linked(book.id, 'tags').list())).count).toBe(1)
    expect((await queryClient.fetchQuery(q.book.group({ by: ['title'] }))).rows).toEqual([
      { title: 'Plans', 'count()': 1 },
    ])
    expect(await queryClient.fetchQuery(q.resource('model').list())).toMatchObject({ count: 0 })
    expect((await queryClient.fetchQuery(q.invoice.deleted.list())).rows).toEqual([])
  })

  test('page through a list by its cursors', async () => {
    const { api, q } = await fill()
    await api.tag.createMany(['b', 'c', 'd', 'e'].map((id) => ({ id, name: id })))
    const observer = new InfiniteQueryObserver(queryClient, q.tag.pages({ limit: 2, sort: ['id'] }))
    const stop = observer.subscribe(() => undefined)
    await observer.refetch()
    while ((await observer.fetchNextPage()).hasNextPage);
    const { data } = observer.getCurrentResult()
    expect(data?.pages.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual([
      expect.stringMatching(/^a/),
      'b',
      'c',
      'd',
      'e',
    ])
    stop()
  })

  describe('are stale behind a write that they show:', () => {
    type Filled = Awaited<ReturnType<typeof fill>>

    /** Queries of everything, by name. */
    const queriesOf = ({ q, book, author }: Filled) => ({
      books: q.book.list(),
      book: q.book.find(book.id),
      titles: q.book.list({ fields: ['title'] }),
      ofPublisher: q.book.list({ fields: ['title'], filter: { 'publisher.name': 'Ink' } }),
      byChapter: q.book.list({ fields: ['title'], filter: { chapters: { some: { title: 'One' } } } }),
      byAuthor: q.book.group({ by: ['title'], values: ['count()'], filter: { 'authors.name': 'Ada' } }),
      publishers: q.publisher.list(),
      withBooks: q.publisher.list({ include: ['books'] }),
      counted: q.publisher.list({ fields: ['name', 'count(books)'] }),
      chapters: q.book.owned(book.id, 'chapters').list(),
      allChapters: q.chapter.list(),
      tags: q.tag.list(),
      tagsOfBook: q.book.linked(book.id, 'tags').list(),
      author: q.author.find(author.id),
      invoices: q.invoice.list(),
      folders: q.folder.list(),
      orders: q.order.list(),
    })

    const staleAfter = async (write: (filled: Filled) => Promise<unknown>): Promise<readonly string[]> => {
      queryClient.clear()
      const filled = await fill()
      const queries = queriesOf(filled)
      for (const query of Object.values(queries))
        await queryClient.fetchQuery(query as ReturnType<typeof filled.q.book.list>)
      await write(filled)
      const isStale = (key: readonly unknown[]) => queryClient.getQueryState(key)?.isInvalidated === true
      return Object.entries(queries).flatMap(([name, { queryKey }]) => (isStale(queryKey) ? [name] : []))
    }

    // `chapterCount` of a book is computed over its chapters, and what may be computed over is not known.
    const books = ['books', 'book', 'titles', 'ofPublisher', 'byChapter', 'byAuthor']
    const showBooks = [...books, 'withBooks', 'counted', 'chapters', 'tagsOfBook']

    test('a new record', async () => {
      const body = ({ publisher, author }: Filled) => ({ title: 'b', publisherId: publisher.id, authors: [author] })
      expect(await staleAfter((all) => mutate(all.q.book.create(), { body: body(all) }))).toEqual(
        expect.arrayContaining([...showBooks, 'allChapters']),
      )
      expect(await staleAfter(({ q }) => mutate(q.folder.create(), { body: { name: 'a' } }))).toEqual(['folders'])
      const all = await staleAfter(({ q }) => mutate(q.tag.create(), { body: { id: 'z', name: 'a' } }))
      expect(all).toEqual(expect.arrayContaining(['books', 'book', 'tags', 'tagsOfBook']))
      for (const name of ['publishers', 'counted', 'author', 'invoices', 'allChapters']) expect(all).not.toContain(name)
    })

    test('a change: who shows the record, a summary of it, or filters by it', async () => {
      const ofPublisher = await staleAfter(({ q, publisher }) =>
        mutate(q.publisher.patch(), { target: publisher, body: { name: 'Nib' } }),
      )
      expect(ofPublisher).toEqual(
        expect.arrayContaining(['books', 'book', 'ofPublisher', 'publishers', 'withBooks', 'counted']),
      )
      for (const name of ['tags', 'author', 'allChapters', 'chapters', 'invoices', 'folders'])
        expect(ofPublisher).not.toContain(name)
      const ofInvoice = await staleAfter(async ({ api, q }) => {
        const target = await api.invoice.create({ total: 1 })
        await mutate(q.invoice.replace(), { target, body: { total: 2 } })
      })
      expect(ofInvoice).toEqual(['invoices'])
    })

    test('a change of what a record owns: its owner, and what is computed over it', async () => {
      const stale = await staleAfter(({ q, book }) =>
        mutate(q.book.owned(book.id, 'chapters').create(), { body: { title: 'Two' } }),
      )
      expect(stale).toEqual(expect.arrayContaining(['books', 'book', 'byChapter', 'chapters', 'allChapters']))
      for (const name of ['publishers', 'tags', 'author', 'invoices']) expect(stale).not.toContain(name)
      const atTop = await staleAfter(
        async ({ q, book }) => await mutate(q.chapter.delete(), { target: book.chapters[0]?.id as number }),
      )
      expect(atTop).toEqual(expect.arrayContaining(['book', 'chapters', 'allChapters']))
    })

    test('a deletion: also who loses a reference', async () => {
      const stale = await staleAfter(({ q, tag }) => mutate(q.tag.delete(), { target: tag }))
      expect(stale).toEqual(expect.arrayContaining([...books, 'tags', 'tagsOfBook', 'withBooks', 'counted']))
      for (const name of ['publishers', 'author', 'invoices', 'folders']) expect(stale).not.toContain(name)
    })

    test('links, and writes of many', async () => {
      const linked = await staleAfter(({ q, book, tag }) =>
        mutate(q.book.linked(book.id, 'tags').remove(), { id: tag.id }),
      )
      expect(linked).toEqual(expect.arrayContaining(['book', 'books', 'tagsOfBook']))
      for (const name of ['tags', 'publishers', 'author', 'allChapters']) expect(linked).not.toContain(name)
      const many = [
        await staleAfter(({ q }) => mutate(q.folder.createMany(), { bodies: [{ name: 'a' }] })),
        await staleAfter(({ q }) => mutate(q.folder.deleteMatching(), { filter: { name: 'x' }, maxAffected: 1 })),
      ]
      for (const one of many) expect(one).toEqual(['folders'])
      const upserted = await staleAfter(({ q }) =>
        mutate(q.publisher.upsert(), { body: { name: 'New' }, by: ['name'] }),
      )
      expect(upserted).toEqual(expect.arrayContaining(['publishers', 'books']))
      expect(upserted).not.toContain('tags')
    })

    test('an action: what it says that it changes, else all', async () => {
      expect(await staleAfter(({ q }) => mutate(q.invoice.act('clear'), {}))).toEqual(['invoices'])
      const all = await staleAfter(async ({ api, q }) => {
        const target = await api.invoice.create({ total: 1 })
        expect(await mutate(q.invoice.act('pay'), { target, body: { by: 'Ada' } })).toMatchObject({
          status: 'paid by Ada',
        })
      })
      expect(all).toHaveLength(17)
    })

    test('a write of a resource whose rules may write others: all', async () => {
      expect(await staleAfter(({ q }) => mutate(q.order.create(), { body: { name: 'a' } }))).toHaveLength(17)
    })

    test('and not those of the application, or of another client', async () => {
      const { api, q } = await fill()
      const other = createQueries(api, queryClient, { name: 'other' })
      await queryClient.fetchQuery(other.folder.list({ sort: ['name'] }))
      await queryClient.fetchQuery({ queryKey: ['folder', 'own'], queryFn: () => 1 })
      await queryClient.fetchQuery(q.folder.list())
      await mutate(q.folder.create(), { body: { name: 'a' } })
      const stale = queryClient.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated })
      expect(stale.map(({ queryKey }) => queryKey)).toEqual([['folder', 'list']])
    })
  })

  describe('show a write before it is done, if they are asked to:', () => {
    /** What two queries show, while a write is under way. */
    const watch = async ({ q, book }: Awaited<ReturnType<typeof fill>>) => {
      const [one, list, pages] = [q.book.find(book.id), q.book.list(), q.book.pages()]
      const observers = [new QueryObserver(queryClient, one), new QueryObserver(queryClient, list as never)]
      const infinite = new InfiniteQueryObserver(queryClient, pages)
      const stops = [...observers, infinite].map((observer) => observer.subscribe(() => undefined))
      await Promise.all([...observers.map((observer) => observer.refetch()), infinite.refetch()])
      return {
        shown: () => ({
          one: queryClient.getQueryData<typeof book>(one.queryKey),
          list: queryClient.getQueryData<{ rows: (typeof book)[]; count: number }>(list.queryKey),
          pages: infinite.getCurrentResult().data?.pages,
        }),
        stop: () => stops.map((stop) => stop()),
      }
    }

    test('a PATCH, which is there at once and stays', async () => {
      const all = await fill()
      const { shown, stop } = await watch(all)
      const done = mutate(all.q.book.patch({ optimistic: true }), {
        target: all.book,
        body: { title: 'New', price: { $add: 3 } },
      })
      await expect.poll(() => shown().one?.title, { interval: 1 }).toBe('New')
      expect(shown().list?.rows[0]).toMatchObject({ title: 'New', price: 3, chapters: all.book.chapters })
      expect(shown().pages?.[0]?.rows[0]).toMatchObject({ title: 'New' })
      await done
      expect(shown().one).toEqual(await all.api.book.find(all.book.id))
      expect(shown().one?.$etag).not.toBe(all.book.$etag)
      stop()
    })

    test('what is refused is taken back, and what is there now is read', async () => {
      const all = await fill()
      const { shown, stop } = await watch(all)
      await all.api.book.patch(all.book, { title: 'Theirs' })
      const titles: unknown[] = []
      const unsubscribe = queryClient.getQueryCache().subscribe(() => titles.push(shown().one?.title))
      const refused = mutate(all.q.book.patch({ optimistic: true }), { target: all.book, body: { title: 'Mine' } })
      await expect(refused).rejects.toBeInstanceOf(ConflictError)
      expect(titles).toContain('Mine')
      expect(shown().one?.title).toBe('Theirs')
      unsubscribe()
      stop()
    })

    test('a DELETE', async () => {
      const all = await fill()
      const { shown, stop } = await watch(all)
      const needed = mutate(all.q.publisher.delete({ optimistic: true }), { target: all.publisher })
      await expect(needed).rejects.toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
      const done = mutate(all.q.book.delete({ optimistic: true }), { target: all.book })
      await expect.poll(() => shown().list?.count, { interval: 1 }).toBe(0)
      expect(shown().pages?.[0]?.rows).toEqual([])
      await done
      stop()
    })
  })

  test('an ETag survives caches: structural sharing, clones and persistence', async () => {
    const { api, q, book } = await fill()
    const found = q.book.find(book.id)
    await queryClient.fetchQuery(found)
    await queryClient.fetchQuery({ ...found, staleTime: 0 })
    queryClient.setQueryData(found.queryKey, (old: unknown) => structuredClone(old))
    const later = new QueryClient()
    hydrate(later, JSON.parse(JSON.stringify(dehydrate(queryClient))))
    const kept = later.getQueryData<typeof book>(found.queryKey)
    expect(kept).toEqual(book)
    expect(await api.book.patch(kept as typeof book, { price: 1 })).toMatchObject({ price: 1 })
    const q2 = createQueries(api, later)
    await new MutationObserver(later, q2.book.create() as never).mutate({
      body: { title: 'c', publisherId: book.publisherId, authors: book.authors },
    } as never)
    expect(later.getQueryState(found.queryKey)?.isInvalidated).toBe(true)
  })
})
