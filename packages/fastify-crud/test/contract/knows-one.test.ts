import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId, noIds } from '../../../../test/support/test-ids.ts'
import { knowsOne } from './models/knows.ts'

describeOnBoth('knows.one', (database) => {
  const service = useApp(database, knowsOne)
  let b1: JsonBody
  let b2: JsonBody

  beforeEach(async () => {
    b1 = await service.add('/api/b', { name: 'b1' })
    b2 = await service.add('/api/b', { name: 'b2' })
  })

  test('POST: foreign key optional', async () => {
    const nobody = { name: 'a', note: null, bId: null, b: null }
    for (const rest of [{}, { bId: null }]) {
      const { id, ...fields } = await service.add('/api/a', { name: 'a', ...rest })
      expect(fields).toEqual(nobody)
      expect(await service.read(`/api/a/${id}`)).toEqual({ id, ...nobody })
    }
    const { id, ...fields } = await service.add('/api/a', { name: 'a', bId: b1.id })
    expect(fields).toEqual({ name: 'a', note: null, bId: b1.id, b: b1 })
    expect(await service.read(`/api/a/${id}`)).toEqual({ id, ...fields })
  })

  test('PATCH: sets it; null clears', async () => {
    const { id } = await service.add('/api/a', { name: 'a', note: 'n' })
    const fields = { id, name: 'a', note: 'n' }
    expect((await service.patch(`/api/a/${id}`, { bId: b1.id })).body).toEqual({ ...fields, bId: b1.id, b: b1 })
    expect((await service.patch(`/api/a/${id}`, { bId: b2.id })).body).toEqual({ ...fields, bId: b2.id, b: b2 })
    expect((await service.patch(`/api/a/${id}`, {})).body).toEqual({ ...fields, bId: b2.id, b: b2 })
    expect((await service.patch(`/api/a/${id}`, { bId: null })).body).toEqual({ ...fields, bId: null, b: null })
    expect(await service.read(`/api/a/${id}`)).toEqual({ ...fields, bId: null, b: null })
  })

  test('PUT: sets it; left out or null clears', async () => {
    const { id } = await service.add('/api/a', { name: 'a' })
    for (const rest of [{}, { bId: null }]) {
      expect((await service.put(`/api/a/${id}`, { name: 'a', bId: b1.id })).body.b).toEqual(b1)
      expect((await service.put(`/api/a/${id}`, { name: 'a', ...rest })).body).toEqual({
        id,
        name: 'a',
        note: null,
        bId: null,
        b: null,
      })
    }
  })

  test('any number may know the same record', async () => {
    for (const name of ['x', 'y', 'z']) expect((await service.add('/api/a', { name, bId: b1.id })).b).toEqual(b1)
  })

  test('a record that does not exist is 400', async () => {
    const { id } = await service.add('/api/a', { name: 'a', bId: b1.id })
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/bId'] } as const
    await service.refuse('POST', '/api/a', { name: 'c', bId: missingId('b') }, refused)
    await service.refuse('PUT', `/api/a/${id}`, { name: 'c', bId: missingId('b') }, refused)
    await service.refuse('PATCH', `/api/a/${id}`, { name: 'c', bId: missingId('b') }, refused)
  })

  test('what is no id is 400', async () => {
    for (const bId of noIds('b', b1.id)) {
      await service.refuse('POST', '/api/a', { name: 'c', bId }, { code: 'CRUD_ERR_INVALID', pointers: ['/bId'] })
    }
  })

  test('the nested record is accepted and ignored; only the foreign key field associates', async () => {
    const record = await service.add('/api/a', { name: 'a', bId: b1.id, b: { id: b2.id, name: 'other' } })
    expect(record.b).toEqual(b1)
    expect((await service.put(`/api/a/${record.id}`, { ...record, b: { id: b2.id, name: 'other' } })).body).toEqual(
      record,
    )
    expect((await service.patch(`/api/a/${record.id}`, { b: { ...b1, name: 'other' } })).body).toEqual(record)
    expect((await service.read('/api/b')).rows).toEqual([b1, b2])
  })
})
