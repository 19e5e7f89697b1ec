import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { largeIds, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { needsOne } from './models/needs-one.ts'

describeOnBoth('needs.one', (database) => {
  const service = useApp(database, needsOne)
  let first: JsonBody
  let second: JsonBody

  beforeEach(async () => {
    first = await service.add('/api/parent', { name: 'p1' })
    second = await service.add('/api/parent', { name: 'p2' })
  })

  test('POST: the foreign key is required', async () => {
    const missing = { code: 'CRUD_ERR_INVALID', pointers: ['/parentId'] } as const
    await service.refuse('POST', '/api/child', { name: 'c' }, missing)
    await service.refuse('POST', '/api/child', { name: 'c', parentId: null }, missing)
    await service.refuse('POST', '/api/child', { name: 'c', parent: { id: first.id } }, missing)
  })

  test('POST associates', async () => {
    const child = await service.add('/api/child', { name: 'c', parentId: first.id })
    expect(child).toEqual({
      id: child.id,
      name: 'c',
      note: null,
      parentId: first.id,
      parent: { id: first.id, name: 'p1' },
    })
    expect(await service.read(`/api/child/${child.id}`)).toEqual(child)
  })

  test('a parent may serve any number', async () => {
    for (const name of ['c', 'd']) await service.add('/api/child', { name, parentId: first.id })
    expect((await service.read('/api/child')).count).toBe(2)
  })

  test('PATCH: the foreign key moves the record', async () => {
    const { id } = await service.add('/api/child', { name: 'c', note: 'n', parentId: first.id })
    const { status, body } = await service.patch(`/api/child/${id}`, { parentId: second.id })
    expect(status).toBe(200)
    expect(body).toEqual({ id, name: 'c', note: 'n', parentId: second.id, parent: { id: second.id, name: 'p2' } })
    expect(await service.read(`/api/child/${id}`)).toEqual(body)
  })

  test('PATCH without it leaves it', async () => {
    const child = await service.add('/api/child', { name: 'c', parentId: first.id })
    expect((await service.patch(`/api/child/${child.id}`, { name: 'd' })).body).toEqual({ ...child, name: 'd' })
  })

  test('PATCH: null is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parentId: first.id })
    await service.refuse(
      'PATCH',
      `/api/child/${id}`,
      { parentId: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/parentId'] },
    )
  })

  test('PUT: required', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parentId: first.id })
    for (const rest of [{}, { parentId: null }]) {
      await service.refuse(
        'PUT',
        `/api/child/${id}`,
        { name: 'd', ...rest },
        { code: 'CRUD_ERR_INVALID', pointers: ['/parentId'] },
      )
    }
  })

  test('PUT moves the record', async () => {
    const { id } = await service.add('/api/child', { name: 'c', note: 'n', parentId: first.id })
    const { body } = await service.put(`/api/child/${id}`, { name: 'd', parentId: second.id })
    expect(body).toEqual({ id, name: 'd', note: null, parentId: second.id, parent: { id: second.id, name: 'p2' } })
  })

  test('a parent that does not exist is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parentId: first.id })
    // What is beyond the columns of some tables names nothing there, either.
    for (const parentId of [missingId('parent'), ...largeIds('parent')]) {
      const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/parentId'] } as const
      await service.refuse('POST', '/api/child', { name: 'd', parentId }, refused)
      await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parentId }, refused)
      await service.refuse('PATCH', `/api/child/${id}`, { parentId }, refused)
    }
  })

  test('an integer that no id can be is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parentId: first.id })
    for (const parentId of [Number.MAX_SAFE_INTEGER + 2, -Number.MAX_SAFE_INTEGER - 2, 1e30]) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/parentId'] } as const
      await service.refuse('POST', '/api/child', { name: 'd', parentId }, refused)
      await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parentId }, refused)
      await service.refuse('PATCH', `/api/child/${id}`, { parentId }, refused)
    }
  })

  test('what is no id is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parentId: first.id })
    for (const parentId of noIds('parent', second.id)) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/parentId'] } as const
      await service.refuse('POST', '/api/child', { name: 'd', parentId }, refused)
      await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parentId }, refused)
      await service.refuse('PATCH', `/api/child/${id}`, { parentId }, refused)
    }
  })

  test('the nested record is accepted and ignored, and never written to the other table', async () => {
    const child = await service.add('/api/child', {
      name: 'c',
      parentId: first.id,
      parent: { id: first.id, name: 'other' },
    })
    expect(child.parent).toEqual({ id: first.id, name: 'p1' })
    const put = await service.put(`/api/child/${child.id}`, { ...child, parent: { id: first.id, name: 'other' } })
    expect(put.body).toEqual(child)
    const patch = await service.patch(`/api/child/${child.id}`, { parent: { id: first.id, name: 'other' } })
    expect(patch.body).toEqual(child)
    expect(await service.read(`/api/parent/${first.id}`)).toEqual(first)
  })

  test('only the foreign key field associates', async () => {
    const child = await service.add('/api/child', { name: 'c', parentId: first.id })
    await service.refuse(
      'PATCH',
      `/api/child/${child.id}`,
      { parent: { id: second.id } },
      { code: 'CRUD_ERR_INVALID', pointers: ['/parent'] },
    )
    const { body } = await service.put(`/api/child/${child.id}`, { ...child, parentId: second.id })
    expect(body.parent).toEqual({ id: second.id, name: 'p2' })
  })
})
