import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { missingId, withIntegerIds } from '../../../../test/support/test-ids.ts'
import { plainProduct, product } from './models/product.ts'

const withId = ['GET', 'PUT', 'PATCH', 'DELETE'] as const
const bodyOf = (method: string) => (method === 'PUT' || method === 'PATCH' ? { name: 'b' } : undefined)

describeOnDrivers('GET /api/r/:id', (database) => {
  const service = useApp(database, product)

  test('answers 200 the record', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.get(`/api/product/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/)
    expect(answer.body).toEqual({ id, ...plainProduct('a') })
  })

  test('reads without a transaction and writes nothing', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const statements = await service.statements(() => service.get(`/api/product/${id}`))
    expect(statements.filter((statement) => !/^\s*(select|with)\b/i.test(statement))).toEqual([])
  })
})

describeOnDrivers('an id in a path', (database) => {
  const service = useApp(database, product)

  for (const method of withId) {
    test(`one that names no record is 404: ${method}`, async () => {
      await service.add('/api/product', { name: 'a' })
      await service.refuse(method, `/api/product/${missingId('product')}`, bodyOf(method), {
        code: 'CRUD_ERR_NOT_FOUND',
      })
    })
  }
})

describeOnDrivers('an id in a path that is an integer', (database) => {
  const service = useApp(database, withIntegerIds(product))

  for (const method of withId) {
    for (const id of ['2147483647', '2147483648', '9007199254740993', '99999999999999999999999999']) {
      test(`one that names no record, however large, is 404: ${method} ${id}`, async () => {
        await service.add('/api/product', { name: 'a' })
        await service.refuse(method, `/api/product/${id}`, bodyOf(method), { code: 'CRUD_ERR_NOT_FOUND' })
      })
    }

    for (const id of [
      '-0',
      '-01',
      '+1',
      '%2B1',
      '01',
      '1.0',
      '1.5',
      '1e3',
      '0x10',
      '%201',
      '1%20',
      'abc',
      'null',
      '1,2',
      '%EF%BC%91',
    ]) {
      test(`digits without a leading zero, else 400: ${method} ${id}`, () =>
        service.refuse(method, `/api/product/${id}`, bodyOf(method), { code: 'CRUD_ERR_INVALID' }))
    }

    for (const id of ['__proto__', 'constructor', 'toString']) {
      test(`a name that objects have is no id: ${method} ${id}`, () =>
        service.refuse(method, `/api/product/${id}`, bodyOf(method), { code: 'CRUD_ERR_INVALID' }))
    }
  }

  test('0 and a negative integer are ids, which no record has here: 404', async () => {
    await service.refuse('GET', '/api/product/0', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('GET', '/api/product/-1', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('one that does not fit sends no statement', async () => {
    expect(await service.statements(() => service.get('/api/product/1x'))).toEqual([])
  })
})
