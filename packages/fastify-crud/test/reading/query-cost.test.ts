import { Type } from '@sinclair/typebox'
import { countOf, defineResources, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnOpened } from '../../../../test/support/describe-on-databases.ts'
import { expectRefused } from './support/expect-refused.ts'
import { asQuery, jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

const times = (count: number, condition: object): object[] => Array(count).fill(condition)

describeOnOpened('what a filter may cost', (database) => {
  const books = useBooks(database)

  test.each([
    ['50 comparisons', times(50, { price: { gte: 5 } })],
    ['50 of them through relations to one record', times(50, { 'publisher.name': 'Ink' })],
    ['50 prefixes', times(50, { title: { startsWith: 'A' } })],
    ['33 parts of texts', times(33, { title: { contains: 'A' } })],
    ['20 of them in any case', times(20, { title: { icontains: 'A' } })],
    ['10 moments', times(10, { soldAt: { gte: '2026-01-01T00:00:00Z' } })],
    ['9 through relations to several records', times(9, { 'tags.name': 'a' })],
    ['one of them for each two conditions on its record', times(8, { chapters: { some: { place: 1, title: 'One' } } })],
  ])('is enough for %s', async (_, or) => {
    expect((await books.service.get(`/api/book?${jsonFilter({ or })}`)).status).toBe(200)
  })

  test.each([
    ['50 parts of texts in any case', times(50, { title: { icontains: 'A' } }), 250],
    ['34 parts of texts', times(34, { title: { contains: 'A' } }), 102],
    ['11 moments', times(11, { soldAt: { gte: '2026-01-01T00:00:00Z' } }), 110],
    ['10 through relations to several records', times(10, { 'tags.name': 'a' }), 110],
    ['10 of which there must be some', [...times(10, { chapters: { some: {} } }), { price: 1 }], 101],
    ['relations inside of each other', times(5, { chapters: { some: { remarks: { some: { text: 'a' } } } } }), 105],
  ])('is not enough for %s', async (_, or, cost) => {
    await books.refused(jsonFilter({ or }), `filter: the query costs ${cost}, and may cost 100`, 'limits.maxCost')
  })

  test('is spent by the conditions that the answer says to leave out', async () => {
    const cheap = times(40, { price: 1 })
    const dear = [{ 'tags.name': { icontains: 'a' } }, { 'authors.books.title': { contains: 'a' } }]
    const filter = { or: [...cheap, ...dear, ...times(6, { title: { icontains: 'b' } })] }
    await books.refused(jsonFilter(filter), 'filter.or[41].authors.books.title.contains (23)')
    const many = jsonFilter({ or: times(50, { title: { icontains: 'A' } }) })
    await books.refused(many, 'filter.or[0].title.icontains (5), filter.or[1].title.icontains (5)', 'and 27 more')
  })

  test('is the same in brackets, for filters of nested arrays and in the store', async () => {
    const or = times(50, { title: { icontains: 'A' } })
    await books.refused(
      asQuery({ 'nested[chapters][filter]': { or } }),
      'nested[chapters][filter]: the query costs 250',
    )
    await expect(books.store('book').list({ filter: { or } })).rejects.toMatchObject({
      code: 'CRUD_ERR_INVALID',
      message: expect.stringContaining('limits.maxCost'),
    })
    const paths = [
      'tags',
      'authors.books.tags',
      'chapters.translator.books.tags',
      'publisher.books.tags',
      'series',
      'prequel.tags',
    ]
    const brackets = paths.map((path) => `filter[${path}.name][icontains]=a`).join('&')
    await books.refused(
      brackets,
      'filter: the query costs',
      'filter.chapters.translator.books.tags.name.icontains (36)',
    )
  })
})

describeOnOpened('what the rest of a query may cost', (database) => {
  const books = useBooks(database)
  const costs = async (path: string): Promise<number | undefined> => {
    const answer = await books.service.get(`${path}&filter=${encodeURIComponent(DEAR)}`)
    expectRefused(answer, 'limits.maxCost')
    const [, cost] = /the query costs (\d+)/.exec(answer.body.detail) ?? []
    return Number(cost) - 101
  }
  /** Costs 101, so that each query tells what the rest of it costs. */
  const DEAR = JSON.stringify({ or: [...times(33, { title: { contains: 'A' } }), ...times(2, { pages: 1 })] })

  test.each([
    ['sort=title', 1],
    ['sort=-price,pages', 2],
    ['sort=soldAt', 10],
    ['sort=cost', 5],
    ['sort=lower(title)', 5],
    ['sort=-publisher.name', 6],
    ['sort=prequel.publisher.name', 11],
    ['sort=-count(tags)', 10],
    ['sort=count(prequel.tags)', 105],
    ['sort=count(prequel.chapters)', 45],
    ['search=lamp', 57],
    ['search=lamp+index+lamp', 57 + 15],
    ['fields=title,price,publisher.name,count(tags)', 2],
    ['include=prequel,prequel.tags', 1],
    ['include=publisher.books&limit=100&nested[publisher.books][limit]=1000', 21],
    ['nested[chapters][sort]=-count(remarks),title', 11],
  ])('%s costs %i', async (query, cost) => {
    expect(await costs(`/api/book?${query}`)).toBe(cost)
  })

  test.each([
    ['by=title', 5 + 1],
    ['by=state,month(soldAt)&values=count(),sum(cost),max(pages)', 5 + 14 + 1 + 7 + 3],
    ['by=publisher.name&values=countDistinct(prequel.title)', 10 + 8],
    ['by=title&having={"count()":{"gte":5}}&sort=-count()', 5 + 1 + 1],
  ])('groups %s cost %i', async (query, cost) => {
    expect(await costs(`/api/book/$group?${query}`)).toBe(cost)
  })

  test('is one sum, and each parameter that has too much of it is named', async () => {
    await books.refused(
      `search=lamp&sort=count(prequel.tags)&${jsonFilter({ or: times(9, { 'tags.name': 'a' }) })}`,
      'search: the query costs 261, and may cost 100 (limits.maxCost): leave out, for example, search.lamp (57)',
      'sort: the query costs 261, and may cost 100 (limits.maxCost): leave out, for example, sort.count(prequel.tags) (105)',
    )
    const nested = 'nested[chapters][sort]=count(book.authors)'
    await books.refused(`${nested}`, 'nested[chapters][sort]: the query costs 105', 'nested.chapters.sort.count(book')
    await books.refusedAt(
      '/api/book/$group?by=title,state,price,pages&values=' +
        ['sum', 'avg', 'min', 'max', 'countDistinct'].flatMap((word) => [`${word}(cost)`, `${word}(price)`]).join() +
        ',min(soldAt),max(soldAt),countDistinct(soldAt),count(soldAt),min(title),max(title),countDistinct(title)',
      'values: the query costs 118',
    )
    const answer = await books.service.get('/api/book?sort=count(prequel.tags)')
    expect(answer.body.errors).toMatchObject([{ parameter: 'sort', keyword: 'maxCost', params: { limit: 100 } }])
    await expect(books.store('book').list({ sort: ['count(prequel.tags)'] })).rejects.toMatchObject({
      errors: [{ parameter: 'sort', keyword: 'maxCost' }],
    })
  })

  test('is enough for what the documents show', async () => {
    for (const query of [
      'search=lamp+index&sort=-price,title&count=100',
      'sort=-price,title,publisher.name,lower(title),count(tags)',
      'fields=title,publisher.name,chapters.title,count(tags)',
      'include=prequel.tags,authors.books.tags,-chapters&nested[authors][limit]=5&nested[authors][sort]=-name',
      asQuery({ filter: { or: [{ price: { lt: 5 } }, { 'publisher.name': 'Ink' }] }, sort: '-count(tags)' }),
    ])
      expect((await books.service.get(`/api/book?${query}`)).status, query).toBe(200)
    const groups =
      'by=state,month(soldAt)&values=count(),sum(cost),max(soldAt)&filter[publisher.name]=x&sort=-sum(cost)'
    expect((await books.service.get(`/api/book/$group?${groups}`)).status).toBe(200)
  })
})

describeOnOpened('long lists of names', (database) => {
  const books = useBooks(database)
  const unknown = Array.from({ length: 1_500 }, (_, index) => `n${index}`)

  test.each(['fields', 'include', 'sort', 'values', 'by'])(
    'that %s does not know are not all read',
    async (parameter) => {
      const path = parameter === 'values' || parameter === 'by' ? '/api/book/$group' : '/api/book'
      const { status, body } = await books.service.get(`${path}?${parameter}=${unknown.join()}`)
      expect(status).toBe(400)
      expect(body.errors.length).toBeLessThanOrEqual(101)
    },
  )

  test('that filters and nested arrays do not know are not all read', async () => {
    const filter = Object.fromEntries(unknown.slice(0, 500).map((name) => [name, 1]))
    const nested = unknown.slice(0, 500).map((name) => `nested[${name}][limit]=1`)
    for (const query of [jsonFilter(filter), nested.join('&')]) {
      const { status, body } = await books.service.get(`/api/book?${query}`)
      expect(status).toBe(400)
      expect(body.errors.length).toBeLessThanOrEqual(101)
    }
  })

  test('of `fields` count in the cost of the query', async () => {
    await books.refused(`fields=${unknown.join()}`, 'fields: the query costs 150', 'fields (1500 names) (150)')
  })
})

describe('limits.maxCost', () => {
  const [sqlite] = databases as [TestDatabase]
  const resources = defineResources({
    order: {
      fields: { note: Type.String() },
      relations: { customer: needs.one('customer'), lines: owns.many('line') },
      computed: { lineCount: countOf('lines') },
      groups: true,
    },
    line: {
      fields: { text: Type.String() },
      relations: { order: ownedBy('order') },
      topLevel: true,
    },
    customer: {
      fields: { name: Type.String() },
      relations: { orders: neededBy.many('order') },
      computed: { orderCount: countOf('orders') },
    },
  })
  const service = useApp(sqlite, resources, { plugin: { limits: { maxCost: 12 } } })

  test('sets what a filter may cost, computed fields included', async () => {
    expect((await service.get('/api/customer?filter[orderCount][gte]=1')).status).toBe(200)
    expectRefused(await service.get('/api/customer?filter[orderCount][gte]=1&filter[orderCount][lte]=5'), 'costs 22')
    expect((await service.get('/api/order?filter[customer.orderCount]=1')).status).toBe(200)
    expectRefused(await service.get('/api/order?filter[customer.orderCount]=1&filter[note]=a'), 'costs 13')
  })

  test('is spent by sorts and groups by what related records count, more than by what a record counts itself', async () => {
    const get = (path: string) => service.get(path)
    expect((await get('/api/order?sort=lineCount')).status).toBe(200)
    expectRefused(await get('/api/order?sort=lineCount,note&filter[note]=a'), 'sort: the query costs 13')
    expectRefused(await get('/api/line?sort=-order.lineCount'), 'sort: the query costs 46')
    expectRefused(await get('/api/order?sort=-customer.orderCount'), 'sort: the query costs 106')
    expectRefused(await get('/api/order/$group?by=customer.orderCount'), 'by: the query costs 111')
    expectRefused(await get('/api/order/$group?values=count(customer.orderCount)'), 'values: the query costs 108')
  })
})
