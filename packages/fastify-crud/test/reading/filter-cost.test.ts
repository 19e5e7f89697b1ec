import { Type } from '@sinclair/typebox'
import { countOf, defineResources, neededBy, needs } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectRefused } from './support/expect-refused.ts'
import { asQuery, jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

const times = (count: number, condition: object): object[] => Array(count).fill(condition)

describeOnBoth('what a filter may cost', (database) => {
  const books = useBooks(database)

  test.each([
    ['50 comparisons', times(50, { price: { gte: 5 } })],
    ['50 of them through relations to one record', times(50, { 'publisher.name': 'Ink' })],
    ['50 prefixes', times(50, { title: { startsWith: 'A' } })],
    ['33 parts of texts', times(33, { title: { contains: 'A' } })],
    ['20 of them in any case', times(20, { title: { icontains: 'A' } })],
    ['9 through relations to several records', times(9, { 'tags.name': 'a' })],
    ['one of them for each two conditions on its record', times(8, { chapters: { some: { place: 1, title: 'One' } } })],
  ])('is enough for %s', async (_, or) => {
    expect((await books.service.get(`/api/book?${jsonFilter({ or })}`)).status).toBe(200)
  })

  test.each([
    ['50 parts of texts in any case', times(50, { title: { icontains: 'A' } }), 250],
    ['34 parts of texts', times(34, { title: { contains: 'A' } }), 102],
    ['10 through relations to several records', times(10, { 'tags.name': 'a' }), 110],
    ['10 of which there must be some', [...times(10, { chapters: { some: {} } }), { price: 1 }], 101],
    ['relations inside of each other', times(5, { chapters: { some: { remarks: { some: { text: 'a' } } } } }), 105],
  ])('is not enough for %s', async (_, or, cost) => {
    await books.refused(jsonFilter({ or }), `filter: costs ${cost}, and may cost 100`, 'limits.maxCost')
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
    await books.refused(asQuery({ 'nested[chapters][filter]': { or } }), 'nested.chapters.filter: costs 250')
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
    await books.refused(brackets, 'filter: costs', 'filter.chapters.translator.books.tags.name.icontains (36)')
  })
})

describe('limits.maxCost', () => {
  const [sqlite] = databases as [TestDatabase]
  const resources = defineResources({
    order: { fields: { note: Type.String() }, relations: { customer: needs.one('customer') } },
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
})
