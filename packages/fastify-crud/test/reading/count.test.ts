import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idOf } from './support/fill-books.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('count', (database) => {
  const books = useBooks(database)

  /** What a list says of its count. */
  async function counted(query: string): Promise<object> {
    const { rows: _rows, next: _next, ...others } = await books.service.read(`/api/book?limit=2&${query}`)
    return others
  }

  test('is exact if it is not said otherwise', async () => {
    expect(await counted('')).toEqual({ count: 8 })
    expect(await counted('count=exact')).toEqual({ count: 8 })
    expect(await counted('filter[price]=10&count=exact')).toEqual({ count: 3 })
  })

  test('is left out with none, and no statement counts', async () => {
    expect(await counted('count=none')).toEqual({})
    const statements = await books.service.statements(() => counted('count=none&filter[price]=10'))
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.join('\n')).not.toMatch(/count *\(/i)
  })

  test('is exact up to a number, and above it at least that number', async () => {
    expect(await counted('count=1000')).toEqual({ count: 8 })
    expect(await counted('count=8')).toEqual({ count: 8 })
    expect(await counted('count=7')).toEqual({ count: 7, countIs: 'atLeast' })
    expect(await counted('count=1')).toEqual({ count: 1, countIs: 'atLeast' })
    expect(await counted('count=2&filter[price]=10')).toEqual({ count: 2, countIs: 'atLeast' })
    expect(await counted('count=3&filter[price]=10')).toEqual({ count: 3 })
    expect(await counted('count=3&filter[price]=11')).toEqual({ count: 0 })
  })

  test('is spelled as an integer', async () => {
    const { payload } = await books.service.fastify.inject('/api/book?count=2&fields=title')
    expect(payload).toContain('"count":2,"countIs":"atLeast"')
  })

  test('says so below an owner and for roots, too', async () => {
    const path = `/api/book/${idOf(books.ids.book, 'Amber')}/chapter`
    expect(await books.service.read(`${path}?count=1`)).toMatchObject({ count: 1, countIs: 'atLeast' })
    expect(await books.service.read(`${path}?count=none`)).not.toHaveProperty('count')
    expect(await books.service.read('/api/category?count=2')).toMatchObject({ count: 2, countIs: 'atLeast' })
    expect(await books.service.read('/api/category?count=3')).toMatchObject({ count: 3 })
  })

  for (const count of ['', '-1', '1.5', '1e3', '01', 'x', 'Exact', 'all', 'exact&count=none', '99999999999999999999']) {
    test(`is 400 for anything else: count=${count}`, () => books.refused(`count=${count}`, 'count'))
  }

  test('may be said to the store', async () => {
    expect(await books.store('book').list({ count: 'none', limit: 2 })).not.toHaveProperty('count')
    expect(await books.store('book').list({ count: 3, limit: 2 })).toMatchObject({ count: 3, countIs: 'atLeast' })
    expect((await books.store('book').list({ limit: 2 })).count).toBe(8)
  })
})

describeOnBoth('limits.count', (database) => {
  const none: object = { count: 'none' }
  const three: object = { count: 3 }
  const withNone = useBooks(database, { plugin: { limits: none } })
  const withThree = useBooks(database, { plugin: { limits: three } })

  test('is the default, which a query may change', async () => {
    expect(await withNone.service.read('/api/book')).not.toHaveProperty('count')
    expect(await withNone.service.read('/api/book?count=exact')).toMatchObject({ count: 8 })
    expect(await withThree.service.read('/api/book')).toMatchObject({ count: 3, countIs: 'atLeast' })
    expect(await withThree.service.read('/api/book?count=exact')).toMatchObject({ count: 8 })
    expect(await withThree.service.read('/api/book?count=none')).not.toHaveProperty('count')
  })
})
