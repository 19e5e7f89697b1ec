import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { missingId, noIds } from '../../../../test/support/test-ids.ts'
import { plainProduct, product } from './models/product.ts'

describeOnDrivers('PUT /api/r/:id', (database) => {
  const service = useApp(database, product)

  test('answers 200 the record', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.put(`/api/product/${id}`, { name: 'b', price: 2, stock: 0, note: 'x' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id, name: 'b', price: 2, stock: 0, note: 'x' })
    expect(await service.read(`/api/product/${id}`)).toEqual(answer.body)
  })

  test('replaces: a field that is not in the body becomes its default, or null where it may be null', async () => {
    const { id } = await service.add('/api/product', { name: 'a', price: 2, stock: 1, note: 'x' })
    const { body } = await service.put(`/api/product/${id}`, { name: 'b' })
    expect(body).toEqual({ id, ...plainProduct('b') })
    expect(await service.read(`/api/product/${id}`)).toEqual(body)
  })

  test('or the request is 400', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    await service.refuse('PUT', `/api/product/${id}`, { price: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
    await service.refuse('PUT', `/api/product/${id}`, {}, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
  })

  test('changes no other record', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const other = await service.add('/api/product', { name: 'b', price: 3 })
    await service.put(`/api/product/${id}`, { name: 'c' })
    expect(await service.read(`/api/product/${other.id}`)).toEqual(other)
  })

  test('the body may carry the id of the path', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    expect((await service.put(`/api/product/${id}`, { id, name: 'b' })).body).toEqual({ id, ...plainProduct('b') })
  })

  test('any other id is 400', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const other = await service.add('/api/product', { name: 'b' })
    for (const wrong of [other.id, missingId('product'), ...noIds('product', id), null]) {
      await service.refuse(
        'PUT',
        `/api/product/${id}`,
        { id: wrong, name: 'c' },
        { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
      )
    }
  })

  test('of a record that does not exist is 404, and creates none', async () => {
    await service.refuse('PUT', `/api/product/${missingId('product')}`, { name: 'a' }, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a body that does not fit is 400, also for a record that does not exist', async () => {
    await service.refuse(
      'PUT',
      `/api/product/${missingId('product')}`,
      {},
      { code: 'CRUD_ERR_INVALID', pointers: ['/name'] },
    )
  })
})

describeOnDrivers('PUT /api/r', (database) => {
  const service = useApp(database, product)

  test('the same, with `id` in the body', async () => {
    const { id } = await service.add('/api/product', { name: 'a', price: 1 })
    const answer = await service.put('/api/product', { id, name: 'b' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id, ...plainProduct('b') })
    expect(await service.read(`/api/product/${id}`)).toEqual(answer.body)
  })

  test('400 without `id`', async () => {
    await service.add('/api/product', { name: 'a' })
    await service.refuse('PUT', '/api/product', { name: 'b' }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
  })

  test('`errors` lists what else is wrong with the body too', async () => {
    await service.refuse(
      'PUT',
      '/api/product',
      { price: 'x', y: 1 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/id', '/name', '/price', '/y'] },
    )
  })

  test('what is no id is 400', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const wrong of [...noIds('product', id), null]) {
      await service.refuse(
        'PUT',
        '/api/product',
        { id: wrong, name: 'b' },
        { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
      )
    }
  })

  test('an id that names no record is 404, as in a path, and creates none', async () => {
    const body = { id: missingId('product'), name: 'b' }
    await service.refuse('PUT', '/api/product', body, { code: 'CRUD_ERR_NOT_FOUND', pointers: [] })
  })

  test('of what GET returned changes nothing', async () => {
    const record = await service.add('/api/product', { name: 'a', price: 1 })
    expect((await service.put('/api/product', record)).body).toEqual(record)
  })
})
