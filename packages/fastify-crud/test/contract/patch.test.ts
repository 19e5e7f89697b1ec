import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn, writesIn } from '../../../../test/support/statement-log.ts'
import { rowVersions } from '../../../../test/support/tables.ts'
import { missingId, noIds } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

describeOnDrivers('PATCH /api/r/:id', (database) => {
  const service = useApp(database, product)
  const full = { name: 'a', price: 2, stock: 1, note: 'x' }

  test('answers 200 the record', async () => {
    const { id } = await service.add('/api/product', full)
    const answer = await service.patch(`/api/product/${id}`, { price: 3 })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id, ...full, price: 3 })
    expect(await service.read(`/api/product/${id}`)).toEqual(answer.body)
  })

  test('changes what is in the body and nothing else', async () => {
    const { id } = await service.add('/api/product', full)
    const other = await service.add('/api/product', full)
    for (const change of [{ name: 'b' }, { stock: 0 }, { note: 'y' }, { price: 0, note: '' }]) {
      const before = await service.read(`/api/product/${id}`)
      expect((await service.patch(`/api/product/${id}`, change)).body).toEqual({ ...before, ...change })
    }
    expect(await service.read(`/api/product/${other.id}`)).toEqual(other)
  })

  test('{} is fine and changes nothing', async () => {
    const record = await service.add('/api/product', full)
    const before = await service.snapshot()
    const statements = await service.statements(async () => {
      const answer = await service.patch(`/api/product/${record.id}`, {})
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(record)
    })
    expect(writesIn(statements)).toEqual([])
    expect(await service.snapshot()).toEqual(before)
  })

  test('of what is there already writes no row, and on SQLite does not try to', async () => {
    const record = await service.add('/api/product', full)
    const isPostgres = database.name === 'postgres'
    const before = isPostgres && (await rowVersions(service.db))
    const statements = await service.statements(async () => {
      expect((await service.patch(`/api/product/${record.id}`, { name: 'a', price: 2 })).body).toEqual(record)
    })
    if (isPostgres) expect(await rowVersions(service.db)).toEqual(before)
    else expect(updatesIn(statements)).toEqual([])
  })

  test('of a record as it was read runs no UPDATE', async () => {
    const record = await service.add('/api/product', full)
    const statements = await service.statements(async () => {
      expect((await service.patch(`/api/product/${record.id}`, record)).body).toEqual(record)
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('null is null, or 400 where null is not allowed', async () => {
    const { id } = await service.add('/api/product', full)
    expect((await service.patch(`/api/product/${id}`, { price: null, note: null })).body).toEqual({
      id,
      ...full,
      price: null,
      note: null,
    })
    await service.refuse(
      'PATCH',
      `/api/product/${id}`,
      { name: null, stock: null },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/name', '/stock'],
      },
    )
  })

  test('a default is not used', async () => {
    const { id } = await service.add('/api/product', { name: 'a', stock: 1, note: null })
    expect((await service.patch(`/api/product/${id}`, { name: 'b' })).body).toEqual({
      id,
      name: 'b',
      price: null,
      stock: 1,
      note: null,
    })
  })

  test('the body may carry the id of the path; any other id is 400', async () => {
    const { id } = await service.add('/api/product', full)
    expect((await service.patch(`/api/product/${id}`, { id, stock: 9 })).body).toEqual({ id, ...full, stock: 9 })
    for (const wrong of [missingId('product'), ...noIds('product', id), null]) {
      await service.refuse(
        'PATCH',
        `/api/product/${id}`,
        { id: wrong },
        { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
      )
    }
  })

  test('of a record that does not exist is 404', async () => {
    await service.refuse('PATCH', `/api/product/${missingId('product')}`, { name: 'a' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PATCH', `/api/product/${missingId('product')}`, {}, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a body that does not fit is 400, also for a record that does not exist', async () => {
    await service.refuse(
      'PATCH',
      `/api/product/${missingId('product')}`,
      { name: '' },
      { code: 'CRUD_ERR_INVALID', pointers: ['/name'] },
    )
  })
})
