import { createClient } from '@fastify-crud/client'
import { reactAdminProvider } from '@fastify-crud/react-admin'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { actions, shop } from '../../client/test/shop.ts'
import { useService } from '../../client/test/use-service.ts'

describeOnBoth('the data provider of react-admin', (database) => {
  const service = useService(database, shop, { actions, limits: { maxPage: 3 } } as never)
  const connect = () => {
    const api = createClient<typeof shop, typeof actions>({ url: service.url })
    return { api, data: reactAdminProvider(api) }
  }
  let api: ReturnType<typeof connect>['api']
  let data: ReturnType<typeof connect>['data']
  let ink: number
  let quill: number
  let authors: string[]

  beforeEach(async () => {
    ;({ api, data } = connect())
    const publishers = await api.publisher.createMany([{ name: 'Ink' }, { name: 'Quill' }])
    ;[ink, quill] = publishers.rows.map(({ id }) => id) as [number, number]
    authors = (await api.author.createMany([{ name: 'Ann' }, { name: 'Bea' }])).rows.map(({ id }) => id)
    await api.tag.createMany([
      { id: 'new', name: 'New' },
      { id: 'old', name: 'Old' },
    ])
    const [ann, bea] = authors.map((id) => ({ id })) as [{ id: string }, { id: string }]
    await api.book.createMany([
      { title: 'Emma', price: 5, publisherId: ink, authors: [ann], tags: [{ id: 'old' }, { id: 'new' }] },
      { title: 'Dune', price: 10, publisherId: quill, authors: [bea], chapters: [{ title: 'One' }, { title: 'Two' }] },
      { title: 'Kim', price: 15, publisherId: quill, authors: [ann, bea], chapters: [{ title: 'Ada' }] },
      { title: 'Ulysses', price: 20, publisherId: quill, authors: [bea], cover: { url: 'u' } },
    ])
    service.requests()
  })

  const byPrice = { field: 'price', order: 'ASC' } as const
  const page = (filter: object = {}, more: object = {}) => ({
    pagination: { page: 1, perPage: 10 },
    sort: byPrice,
    filter,
    ...more,
  })
  const titles = ({ data: rows }: { readonly data: readonly JsonBody[] }) => rows.map(({ title }) => title)
  const found = async (filter: object) => titles(await data.getList('book', page(filter)))
  const bookNamed = async (title: string) => (await api.book.list({ filter: { title } })).rows[0] as { id: number }

  describe('lists', () => {
    test('pages with their number, by the order of a column', async () => {
      const second = { pagination: { page: 2, perPage: 3 }, sort: { field: 'price', order: 'DESC' } } as const
      expect(await data.getList('book', second)).toMatchObject({ data: [{ title: 'Emma' }], total: 4 })
      expect(service.requests().at(-1)).toMatch(/^GET \/books\?.*offset=3&limit=3.* prefer: etags=?/)
      expect(titles(await data.getList('book', page({}, { sort: { field: 'publisher.name', order: 'ASC' } })))).toEqual(
        ['Emma', 'Dune', 'Kim', 'Ulysses'],
      )
    })

    test('a page that is longer than the service allows, as an export has, by cursors', async () => {
      const all = await data.getList('book', page({}, { pagination: { page: 1, perPage: 1_000 } }))
      expect([titles(all), all.total]).toEqual([['Emma', 'Dune', 'Kim', 'Ulysses'], 4])
      expect(
        service
          .requests()
          .filter((one) => one.startsWith('GET /books'))
          .at(-1),
      ).toMatch(/after=/)
    })

    test('only whether there is another page, where nobody counts', async () => {
      const first = page({}, { pagination: { page: 1, perPage: 3 }, meta: { count: 'none' } })
      const { data: rows, ...rest } = await data.getList('book', first)
      expect([rows.length, rest]).toEqual([3, { pageInfo: { hasNextPage: true, hasPreviousPage: false } }])
      const last = page({}, { pagination: { page: 2, perPage: 3 }, meta: { count: 1 } })
      expect(await data.getList('book', last)).toMatchObject({
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      })
    })

    test('whole records with the ids of their links and their ETags, or what meta says', async () => {
      const [emma] = (await data.getList('book', page({ title: 'Emma' }))).data
      expect(emma).toMatchObject({ tagsIds: ['old', 'new'], authorsIds: [authors[0]], $etag: expect.any(String) })
      expect((await data.getOne('book', { id: emma.id })).data).toEqual(emma)
      const meta = { fields: ['title', 'publisher.name'] }
      const [part] = (await data.getList('book', page({ title: 'Emma' }, { meta }))).data
      expect(part).toEqual({ id: emma.id, title: 'Emma', publisher: { id: ink, name: 'Ink' }, partial: true })
    })
  })

  describe('filters', () => {
    test.each([
      [{ title: 'Emma' }, ['Emma']],
      [{ 'title@icontains': 'm' }, ['Emma', 'Kim']],
      [{ 'title@startsWith': 'D' }, ['Dune']],
      [{ 'price@gte': 10, 'price@lt': 20 }, ['Dune', 'Kim']],
      [{ price: { gte: 10, lt: 20 } }, ['Dune', 'Kim']],
      [{ 'price@gte': '10', 'price@lt': '20' }, ['Dune', 'Kim']],
      [{ price: [5, '15'] }, ['Emma', 'Kim']],
      [{ 'price@nin': [5, 15] }, ['Dune', 'Ulysses']],
      [{ 'title@ne': 'Emma', publisher: { name: 'Ink' } }, []],
      [{ publisher: { 'name@icontains': 'QUI' } }, ['Dune', 'Kim', 'Ulysses']],
      [{ chapters: { some: { title: 'Two' } } }, ['Dune']],
      [{ chapters: { title: 'Two' } }, ['Dune']],
      [{ tagsIds: ['new'] }, ['Emma']],
      [{ or: [{ title: 'Emma' }, { 'price@gt': 15 }] }, ['Emma', 'Ulysses']],
      [{ not: { publisher: { name: 'Quill' } } }, ['Emma']],
      [{ title: '', price: undefined, tagsIds: [] }, ['Emma', 'Dune', 'Kim', 'Ulysses']],
      [{ 'notes@null': 'false' }, []],
      [{ notes: null, title: 'Kim' }, ['Kim']],
      [{ cover: { 'url@null': false } }, ['Ulysses']],
    ])('%j finds %j', async (filter, expected) => {
      expect(await found(filter)).toEqual(expected)
    })

    test('of ids that are texts in an address', async () => {
      expect(await found({ publisherId: String(ink) })).toEqual(['Emma'])
    })

    test('with an operator that there is not are an error that names those that there are', async () => {
      await expect(found({ 'price@between': 1 })).rejects.toThrow(/no operator 'between': eq, ne/)
    })

    test('with a field that there is not are the error of the service', async () => {
      await expect(found({ titel: 'Emma' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("did you mean 'title'?"),
        body: {},
      })
    })

    test('q searches', async () => {
      expect(await found({ q: 'KI', 'price@gt': 1 })).toEqual(['Kim'])
      expect(await found({ q: ' ' })).toHaveLength(4)
    })

    test('q is left out with a warning where the resource has no search', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
      const names = async (q: string) => (await data.getList('publisher', { filter: { q } })).data.length
      expect([await names('ink'), await names('nib')]).toEqual([2, 2])
      expect(warn.mock.calls).toEqual([
        ["'publisher' has no search in its descriptor: what is searched for is ignored"],
      ])
      warn.mockRestore()
    })
  })

  describe('references', () => {
    const of = async (resource: string, target: string, id: string | number, filter: object = {}) =>
      await data.getManyReference(resource, {
        target,
        id,
        filter,
        pagination: { page: 1, perPage: 2 },
        sort: { field: 'id', order: 'ASC' },
      })

    test('by ids come in portions, and without those that are gone', async () => {
      const ids: number[] = []
      for await (const { id } of api.book.all({ sort: ['price'] })) ids.push(id)
      service.requests()
      const many = await data.getMany('book', { ids: [...ids.toReversed(), 999_999] })
      expect(titles(many).sort()).toEqual(['Dune', 'Emma', 'Kim', 'Ulysses'])
      expect(service.requests().filter((one) => one.includes('filter='))).toHaveLength(2)
      expect(titles(await data.getMany('book', { ids: [String(ids[0])] }))).toEqual(['Emma'])
      expect(await data.getMany('book', { ids: [] })).toEqual({ data: [] })
      expect((await data.getMany('author', { ids: authors })).data).toHaveLength(2)
    })

    test('by a foreign key, by a relation of the records, or by one of the other record', async () => {
      const ofQuill = await of('book', 'publisherId', quill, { 'price@lt': 20 })
      expect([titles(ofQuill), ofQuill.total]).toEqual([['Dune', 'Kim'], 2])
      expect(titles(await of('book', 'publisher', String(ink)))).toEqual(['Emma'])
      expect(titles(await of('book', 'authors', authors[0] as string))).toEqual(['Emma', 'Kim'])
      expect(titles(await of('book', 'publisher.books', quill, { q: 'uly' }))).toEqual(['Ulysses'])
      const { id } = await bookNamed('Emma')
      const names = async (target: string) => (await of('tag', target, String(id))).data.map(({ name }) => name)
      expect(await names('book.tags')).toEqual(['New', 'Old'])
    })

    test('of owned records, at the top or below their owner', async () => {
      const { id } = await bookNamed('Dune')
      const chapters = await of('chapter', 'bookId', id)
      expect([titles(chapters), chapters.total]).toEqual([['One', 'Two'], 2])
      expect(titles(await of('chapter', 'book', id))).toEqual(['One', 'Two'])
      expect(titles(await of('chapter', 'book.chapters', id))).toEqual(['One', 'Two'])
      const covers = await of('cover', 'book', (await bookNamed('Ulysses')).id)
      expect(covers.data).toMatchObject([{ url: 'u' }])
    })

    test('that lead nowhere are an error', async () => {
      await expect(of('book', 'chapter', 1)).rejects.toThrow(/no foreign key and no relation 'chapter'/)
    })
  })

  test('groups are read as the service has them', async () => {
    const groups = await data.group('book', { by: ['publisherId'], values: ['count()'], sort: ['-count()'] })
    expect(groups.data).toMatchObject({ rows: [{ publisherId: quill, 'count()': 3 }, { publisherId: ink }] })
  })

  test('records without a path at the top need their owner', async () => {
    const book = await api.book.create({
      title: 'Bo',
      publisherId: ink,
      authors: [{ id: authors[0] as string }],
      cover: { url: 'a' },
    })
    const owner = { resource: 'book', id: String(book.id) }
    await expect(data.getList('cover', page())).rejects.toThrow(
      /say which one in meta, { owner: { resource: 'book', id } }/,
    )
    const order = await api.order.create({ name: 'first', lines: [{ productId: 'new', count: 2 }] })
    const ofOrder = { owner: { resource: 'order', id: order.id } }
    const lines = await data.getList('line', { meta: ofOrder })
    expect(lines).toMatchObject({ data: [{ id: 'new', count: 2, $etag: expect.any(String) }], total: 1 })
    const { data: line } = await data.getOne('line', { id: 'new', meta: ofOrder })
    await data.update('line', { id: 'new', data: { ...line, count: 3 }, previousData: line, meta: ofOrder })
    await data.create('line', { data: { productId: 'old', count: 1 }, meta: ofOrder })
    const changed = await data.getMany('line', { ids: ['new', 'old'], meta: ofOrder })
    expect(changed.data.map(({ count }) => count).sort()).toEqual([1, 3])
    await data.deleteMany('line', { ids: ['old'], meta: ofOrder })
    expect((await data.getList('line', { meta: ofOrder })).total).toBe(1)
    expect((await data.getList('cover', { meta: { owner } })).data).toMatchObject([{ url: 'a' }])
  })
})
