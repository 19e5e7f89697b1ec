import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ownsMany } from './models/owns-many.ts'
import { plainProduct, product } from './models/product.ts'

describeOnDrivers('GET /api/r', (database) => {
  const service = useApp(database, product)

  test('answers 200 { rows, count }', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.get('/api/product')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/)
    expect(answer.body).toEqual({ rows: [{ id, ...plainProduct('a') }], count: 1 })
  })

  test('without a record: no rows, and the count is 0', async () => {
    expect(await service.read('/api/product')).toEqual({ rows: [], count: 0 })
  })

  for (const query of [
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1e1',
    'limit=0x10',
  ]) {
    test(`limit is from 1 to 100, anything else is 400: ${query}`, () =>
      service.refuse('GET', `/api/product?${query}`, undefined, { code: 'CRUD_ERR_INVALID' }))
  }

  for (const query of [
    'limit=%2010',
    'limit=%2B10',
    'limit=10.0',
    'limit=1&limit=2',
    'limit[]=1',
    'limit=true',
    'limit=null',
  ]) {
    test(`limit is digits, and there is one: ${query}`, () =>
      service.refuse('GET', `/api/product?${query}`, undefined, { code: 'CRUD_ERR_INVALID' }))
  }

  for (const query of [
    'offset=-1',
    'offset=1.5',
    'offset=x',
    'offset=',
    'offset=1e1',
    'offset=%2B1',
    'offset=1&offset=2',
  ]) {
    test(`offset is from 0, anything else is 400: ${query}`, () =>
      service.refuse('GET', `/api/product?${query}`, undefined, { code: 'CRUD_ERR_INVALID' }))
  }

  for (const query of ['page=1', 'Limit=1', 'name=a', 'limit=1&x', '__proto__=1', 'constructor=1', 'toString=1', '=']) {
    test(`an unknown query key is 400: ${query}`, () =>
      service.refuse('GET', `/api/product?${query}`, undefined, { code: 'CRUD_ERR_INVALID' }))
  }

  test('a query that does not fit sends no statement', async () => {
    expect(await service.statements(() => service.get('/api/product?limit=0'))).toEqual([])
  })
})

describeOnDrivers('a page of GET /api/r', (database) => {
  const service = useApp(database, product)
  let all: JsonBody[]

  beforeEach(async () => {
    all = []
    for (let i = 0; i < 25; i++) all.push(await service.add('/api/product', { name: `p${i}` }))
  })

  test('defaults to 20 records from the first, ordered by id', async () => {
    const { rows, count } = await service.read('/api/product')
    expect(rows).toEqual(all.slice(0, 20))
    expect(count).toBe(25)
  })

  test('count is the number of all records, not of the page', async () => {
    expect(await service.read('/api/product?limit=3')).toMatchObject({ rows: all.slice(0, 3), count: 25 })
  })

  test('limit and offset choose the page', async () => {
    expect(await service.read('/api/product?limit=4&offset=10')).toMatchObject({ rows: all.slice(10, 14), count: 25 })
    expect(await service.read('/api/product?offset=20')).toEqual({ rows: all.slice(20), count: 25 })
    expect(await service.read('/api/product?offset=0&limit=1')).toMatchObject({ rows: all.slice(0, 1), count: 25 })
  })

  test('limit may be 1 and may be 100', async () => {
    expect((await service.read('/api/product?limit=1')).rows).toEqual(all.slice(0, 1))
    expect((await service.read('/api/product?limit=100')).rows).toEqual(all)
  })

  for (const offset of ['25', '1000000', '3000000000', '9007199254740991']) {
    test(`an offset beyond the last record gives no rows, and still the count: ${offset}`, async () => {
      expect(await service.read(`/api/product?offset=${offset}`)).toEqual({ rows: [], count: 25 })
    })
  }

  for (const offset of ['9007199254740992', '99999999999999999999999']) {
    test(`an offset beyond what JSON numbers hold exactly is 400: ${offset}`, () =>
      service.refuse('GET', `/api/product?offset=${offset}`, undefined, {
        code: 'CRUD_ERR_INVALID',
        detail: /'offset'/,
      }))
  }
})

describeOnDrivers('a list of owners', (database) => {
  const service = useApp(database, ownsMany)

  test('the rows look the same as the single record, and are counted once', async () => {
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) {
      const { id } = await service.add('/api/parent', { name, children: [{ name: '1' }, { name: '2' }] })
      ids.push(id)
    }
    const { rows, count } = await service.read('/api/parent?limit=2')
    expect(count).toBe(3)
    expect(rows).toEqual([await service.read(`/api/parent/${ids[0]}`), await service.read(`/api/parent/${ids[1]}`)])
  })

  test('below an owner: its records only, in pages of their own', async () => {
    const children = [1, 2, 3].map((n) => ({ name: `c${n}` }))
    const first = await service.add('/api/parent', { name: 'a', children })
    await service.add('/api/parent', { name: 'b', children })
    expect(await service.read(`/api/parent/${first.id}/child?limit=2&offset=1`)).toEqual({
      rows: first.children.slice(1),
      count: 3,
    })
    await service.refuse('GET', `/api/parent/${first.id}/child?limit=0`, undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('GET', `/api/parent/${first.id}/child?x=1`, undefined, { code: 'CRUD_ERR_INVALID' })
  })
})
