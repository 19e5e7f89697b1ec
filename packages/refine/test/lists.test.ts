import { type Client, createClient } from '@fastify-crud/client'
import { type RefineProvider, refineProvider } from '@fastify-crud/refine'
import type { CrudFilter, CrudOperators } from '@refinedev/core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { actions, shop } from '../../client/test/shop.ts'
import { useService } from '../../client/test/use-service.ts'

describeOnBoth('the data provider of Refine', (database) => {
  const service = useService(database, shop, { actions, limits: { maxPage: 3 } } as never)
  let api: Client<typeof shop, typeof actions>
  let data: RefineProvider
  let ink: number
  let quill: number

  beforeEach(async () => {
    api = createClient<typeof shop, typeof actions>({ url: service.url })
    data = refineProvider(api, { url: service.url })
    const publishers = await api.publisher.createMany([{ name: 'Ink' }, { name: 'Quill' }])
    ;[ink, quill] = publishers.rows.map(({ id }) => id) as [number, number]
    const author = { id: (await api.author.create({ name: 'Ann' })).id }
    await api.tag.createMany([
      { id: 'new', name: 'New' },
      { id: 'old', name: 'Old' },
    ])
    await api.book.createMany([
      { title: 'Emma', price: 5, publisherId: ink, authors: [author], tags: [{ id: 'old' }, { id: 'new' }] },
      { title: 'Dune', price: 10, publisherId: quill, authors: [author], tags: [{ id: 'new' }], notes: 'n' },
      { title: 'Kim', price: 15, publisherId: quill, authors: [author], chapters: [{ title: 'Ada' }] },
      { title: 'Ulysses', price: 20, publisherId: quill, authors: [author] },
    ])
    service.requests()
  })

  const titles = ({ data: rows }: { readonly data: readonly JsonBody[] }) => rows.map(({ title }) => title)
  const byPrice = [{ field: 'price', order: 'asc' as const }]
  const all = { mode: 'off' } as const
  const found = async (...filters: CrudFilter[]) =>
    titles(await data.getList({ resource: 'book', sorters: byPrice, filters, pagination: all }))

  test('lists pages with their number, in an order', async () => {
    const second = { currentPage: 2, pageSize: 3 }
    const sorters = [{ field: 'publisher.name', order: 'asc' as const }, ...byPrice]
    expect(await data.getList({ resource: 'book', sorters, pagination: second })).toMatchObject({
      data: [{ title: 'Ulysses', tagsIds: [], $etag: expect.any(String) }],
      total: 4,
    })
    expect(titles(await data.getList({ resource: 'book' }))).toHaveLength(4)
  })

  test('lists all where there are no pages, by cursors', async () => {
    expect(await found()).toEqual(['Emma', 'Dune', 'Kim', 'Ulysses'])
    expect(service.requests().at(-1)).toMatch(/after=/)
  })

  test('says that there is another page, where nobody counts', async () => {
    const uncounted = (currentPage: number) =>
      data.getList({ resource: 'book', pagination: { currentPage, pageSize: 3 }, meta: { count: 'none' } })
    expect([(await uncounted(1)).total, (await uncounted(2)).total]).toEqual([4, 4])
  })

  test('shows what meta says, and knows owners', async () => {
    const meta = { fields: ['title'], deleted: 'no', headers: 'x', tab: '1' }
    const filters: CrudFilter[] = [{ field: 'title', operator: 'eq', value: 'Kim' }]
    const kim = await data.getList({ resource: 'book', filters, meta })
    expect(kim.data).toEqual([{ id: expect.any(Number), title: 'Kim', partial: true }])
    const { id } = await api.order.create({ name: 'o', lines: [{ productId: 'new', count: 2 }] })
    const lines = await data.getList({ resource: 'line', meta: { owner: { resource: 'order', id: String(id) } } })
    expect(lines).toMatchObject({ data: [{ id: 'new', count: 2 }], total: 1 })
    await expect(data.getList({ resource: 'line' })).rejects.toThrow(/say which one in meta/)
  })

  describe('filters', () => {
    test.each<[field: string, operator: Exclude<CrudOperators, 'or' | 'and'>, value: unknown, expected: string[]]>([
      ['title', 'eq', 'Kim', ['Kim']],
      ['title', 'eqs', 'Kim', ['Kim']],
      ['title', 'ne', 'Kim', ['Emma', 'Dune', 'Ulysses']],
      ['title', 'nes', 'Kim', ['Emma', 'Dune', 'Ulysses']],
      ['price', 'lt', 10, ['Emma']],
      ['price', 'lte', '10', ['Emma', 'Dune']],
      ['price', 'gt', '15', ['Ulysses']],
      ['price', 'gte', 15, ['Kim', 'Ulysses']],
      ['price', 'in', ['5', 15], ['Emma', 'Kim']],
      ['price', 'nin', [5, 15], ['Dune', 'Ulysses']],
      ['title', 'contains', 'M', ['Emma', 'Kim']],
      ['title', 'ncontains', 'M', ['Dune', 'Ulysses']],
      ['title', 'containss', 'K', ['Kim']],
      ['title', 'ncontainss', 'K', ['Emma', 'Dune', 'Ulysses']],
      ['title', 'startswith', 'e', ['Emma']],
      ['title', 'nstartswith', 'e', ['Dune', 'Kim', 'Ulysses']],
      ['title', 'startswiths', 'e', []],
      ['title', 'nstartswiths', 'E', ['Dune', 'Kim', 'Ulysses']],
      ['title', 'endswith', 'M', ['Kim']],
      ['title', 'nendswith', 'M', ['Emma', 'Dune', 'Ulysses']],
      ['title', 'endswiths', 'm', ['Kim']],
      ['title', 'nendswiths', 'm', ['Emma', 'Dune', 'Ulysses']],
      ['price', 'between', [10, 15], ['Dune', 'Kim']],
      ['price', 'between', ['', 10], ['Emma', 'Dune']],
      ['price', 'nbetween', ['10', '15'], ['Emma', 'Ulysses']],
      ['notes', 'null', true, ['Emma', 'Kim', 'Ulysses']],
      ['notes', 'nnull', '', ['Dune']],
      ['notes', 'eq', null, ['Emma', 'Kim', 'Ulysses']],
      ['notes', 'ne', null, ['Dune']],
      ['tagsIds', 'in', ['new'], ['Emma', 'Dune']],
      ['tagsIds', 'ina', ['new', 'old'], ['Emma']],
      ['tagsIds', 'nina', ['new', 'old'], ['Dune', 'Kim', 'Ulysses']],
      ['publisher.name', 'eq', 'Ink', ['Emma']],
      ['chapters.title', 'contains', 'a', ['Kim']],
      ['title', 'eq', '', ['Emma', 'Dune', 'Kim', 'Ulysses']],
      ['title', 'contains', undefined, ['Emma', 'Dune', 'Kim', 'Ulysses']],
      ['price', 'in', [], ['Emma', 'Dune', 'Kim', 'Ulysses']],
      ['q', 'contains', 'ki', ['Kim']],
      ['q', 'contains', '', ['Emma', 'Dune', 'Kim', 'Ulysses']],
    ])('%s %s %j finds %j', async (field, operator, value, expected) => {
      expect(await found({ field, operator, value })).toEqual(expected)
    })

    test('are joined by and and or, and those that are not set are left out', async () => {
      const title = (value: string | undefined) => ({ field: 'title', operator: 'eq', value }) as const
      const either = { operator: 'or', value: [title('Emma'), title(undefined), title('Kim')] } as const
      expect(await found({ ...either, value: [...either.value] })).toEqual(['Emma', 'Kim'])
      const cheap = { field: 'price', operator: 'lt', value: 10 } as const
      expect(await found({ ...either, value: [...either.value] }, cheap)).toEqual(['Emma'])
      const both = { operator: 'and', value: [title('Emma'), cheap] } as const
      expect(await found({ operator: 'or', value: [{ ...both, value: [...both.value] }, title('Kim')] })).toEqual([
        'Emma',
        'Kim',
      ])
      expect(await found({ operator: 'or', value: [title('')] })).toHaveLength(4)
    })

    test('of ids that are texts in an address', async () => {
      expect(await found({ field: 'publisherId', operator: 'eq', value: String(ink) })).toEqual(['Emma'])
    })

    test('with an operator that there is not are an error', async () => {
      const filter = { field: 'title', operator: 'like', value: 'x' } as unknown as CrudFilter
      await expect(found(filter)).rejects.toThrow("Refine has no operator 'like'")
    })

    test('of a search are left out with a warning where the resource has none', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
      const filters: CrudFilter[] = [{ field: 'q', operator: 'contains', value: 'ink' }]
      expect((await data.getList({ resource: 'publisher', filters })).total).toBe(2)
      expect(warn).toHaveBeenCalledOnce()
      warn.mockRestore()
    })
  })

  test('reads one record, and many', async () => {
    const { rows } = await api.book.list({ sort: ['price'], limit: 3 })
    const [emma, dune, kim] = rows.map(({ id }) => id)
    expect((await data.getOne({ resource: 'book', id: String(emma) })).data).toMatchObject({ title: 'Emma' })
    const many = await data.getMany({ resource: 'book', ids: [String(kim), dune as number, 999_999] })
    expect(titles(many).sort()).toEqual(['Dune', 'Kim'])
    await expect(data.getOne({ resource: 'book', id: 999_999 })).rejects.toMatchObject({ statusCode: 404, errors: {} })
  })

  test('reads groups, and says where the service is', async () => {
    const query = { by: ['publisherId'], values: ['count()'], sort: ['-count()'] }
    const groups = await data.custom({ url: 'book/$group', method: 'get', query })
    expect(groups.data).toMatchObject({
      rows: [
        { publisherId: quill, 'count()': 3 },
        { publisherId: ink, 'count()': 1 },
      ],
    })
    expect(data.getApiUrl()).toBe(service.url)
  })
})
