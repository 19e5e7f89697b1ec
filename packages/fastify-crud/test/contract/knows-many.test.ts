import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId, noIds } from '../../../../test/support/test-ids.ts'
import { knowsMany } from './models/knows.ts'

describeOnDrivers('knows.many', (database) => {
  const service = useApp(database, knowsMany)
  let bs: JsonBody[]
  const refs = (...indexes: number[]) => indexes.map((index) => ({ id: bs[index].id }))

  beforeEach(async () => {
    bs = []
    for (const name of ['b0', 'b1', 'b2']) bs.push(await service.add('/api/b', { name }))
  })

  test('POST: ids only, may be empty or left out', async () => {
    for (const rest of [{}, { bs: [] }]) expect((await service.add('/api/a', { name: 'a', ...rest })).bs).toEqual([])
    const record = await service.add('/api/a', { name: 'a', bs: refs(2, 0) })
    expect(record).toEqual({ id: record.id, name: 'a', note: null, bs: [bs[0], bs[2]] })
    expect(await service.read(`/api/a/${record.id}`)).toEqual(record)
  })

  test('PATCH: adds associations', async () => {
    const { id } = await service.add('/api/a', { name: 'a', note: 'n' })
    const { status, body } = await service.patch(`/api/a/${id}`, { bs: refs(1) })
    expect(status).toBe(200)
    expect(body).toEqual({ id, name: 'a', note: 'n', bs: [bs[1]] })
    expect((await service.patch(`/api/a/${id}`, { bs: refs(0, 1) })).body.bs).toEqual([bs[0], bs[1]])
    expect((await service.read(`/api/a/${id}`)).bs).toEqual([bs[0], bs[1]])
  })

  test('PATCH: `[]` adds nothing', async () => {
    const record = await service.add('/api/a', { name: 'a', bs: refs(0) })
    expect((await service.patch(`/api/a/${record.id}`, { bs: [] })).body).toEqual(record)
    expect((await service.patch(`/api/a/${record.id}`, {})).body).toEqual(record)
  })

  test('PUT: the set becomes the listed one', async () => {
    const { id } = await service.add('/api/a', { name: 'a', bs: refs(0, 1) })
    const { status, body } = await service.put(`/api/a/${id}`, { name: 'a', bs: refs(2, 1) })
    expect(status).toBe(200)
    expect(body.bs).toEqual([bs[1], bs[2]])
    expect(await service.read(`/api/a/${id}`)).toEqual(body)
  })

  test('PUT: `[]` or leaving it out clears; the records are there', async () => {
    for (const rest of [{ bs: [] }, {}]) {
      const { id } = await service.add('/api/a', { name: 'a', bs: refs(0, 1) })
      expect((await service.put(`/api/a/${id}`, { name: 'a', ...rest })).body.bs).toEqual([])
    }
    expect((await service.snapshot()).a_bs).toEqual([])
    expect((await service.read('/api/b')).rows).toEqual(bs)
  })

  test('null is 400', async () => {
    const { id } = await service.add('/api/a', { name: 'a', bs: refs(0) })
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/bs'] } as const
    await service.refuse('POST', '/api/a', { name: 'c', bs: null }, refused)
    await service.refuse('PUT', `/api/a/${id}`, { name: 'c', bs: null }, refused)
    await service.refuse('PATCH', `/api/a/${id}`, { bs: null }, refused)
  })

  test('several records may know the same', async () => {
    for (const name of ['x', 'y']) await service.add('/api/a', { name, bs: refs(0, 1, 2) })
    for (const row of (await service.read('/api/a')).rows) expect(row.bs).toEqual(bs)
  })

  test('a record that does not exist is 400', async () => {
    const { id } = await service.add('/api/a', { name: 'a', bs: refs(0) })
    const wrong = [...refs(1), { id: missingId('b') }]
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/bs/1/id'] } as const
    await service.refuse('POST', '/api/a', { name: 'c', bs: wrong }, refused)
    await service.refuse('PUT', `/api/a/${id}`, { name: 'c', bs: wrong }, refused)
    await service.refuse('PATCH', `/api/a/${id}`, { name: 'c', bs: wrong }, refused)
  })

  test('the same id twice in one array is 400', async () => {
    const { id } = await service.add('/api/a', { name: 'a', bs: refs(0) })
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/bs/1/id'] } as const
    await service.refuse('POST', '/api/a', { name: 'c', bs: refs(1, 1) }, refused)
    await service.refuse('PUT', `/api/a/${id}`, { name: 'c', bs: refs(1, 1) }, refused)
    await service.refuse('PATCH', `/api/a/${id}`, { bs: refs(1, 1) }, refused)
  })

  test('what is no id is 400, and an element is an object', async () => {
    for (const id of [...noIds('b', bs[0].id), null]) {
      await service.refuse(
        'POST',
        '/api/a',
        { name: 'c', bs: [{ id }] },
        { code: 'CRUD_ERR_INVALID', pointers: ['/bs/0/id'] },
      )
    }
    for (const element of [null, bs[0].id, 'x', [bs[0].id]]) {
      await service.refuse(
        'POST',
        '/api/a',
        { name: 'c', bs: [element] },
        { code: 'CRUD_ERR_INVALID', pointers: ['/bs/0'] },
      )
    }
    for (const wrong of ['x', 1, {}, { id: bs[0].id }]) {
      await service.refuse('POST', '/api/a', { name: 'c', bs: wrong }, { code: 'CRUD_ERR_INVALID', pointers: ['/bs'] })
    }
  })

  test('what else the nested records say is accepted and ignored', async () => {
    const record = await service.add('/api/a', { name: 'a', bs: [{ id: bs[0].id, name: 'other' }] })
    expect(record.bs).toEqual([bs[0]])
    expect((await service.put(`/api/a/${record.id}`, record)).body).toEqual(record)
    expect((await service.read('/api/b')).rows).toEqual(bs)
  })
})
