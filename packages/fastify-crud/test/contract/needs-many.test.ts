import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId, noIds } from '../../../../test/support/test-ids.ts'
import { needsMany } from './models/needs-many.ts'

describeOnDrivers('needs.many', (database) => {
  const service = useApp(database, needsMany)
  let parents: JsonBody[]
  const refs = (...indexes: number[]) => indexes.map((index) => ({ id: parents[index].id }))

  beforeEach(async () => {
    parents = []
    for (const name of ['p0', 'p1', 'p2']) parents.push(await service.add('/api/parent', { name }))
  })

  test('POST: ids only', async () => {
    const child = await service.add('/api/child', { name: 'c', parents: refs(1, 0) })
    expect(child).toEqual({ id: child.id, name: 'c', note: null, parents: parents.slice(0, 2) })
    expect(await service.read(`/api/child/${child.id}`)).toEqual(child)
  })

  test('POST: at least one element', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/parents'] } as const
    await service.refuse('POST', '/api/child', { name: 'c' }, refused)
    await service.refuse('POST', '/api/child', { name: 'c', parents: [] }, refused)
    await service.refuse('POST', '/api/child', { name: 'c', parents: null }, refused)
  })

  test('several children may share a parent', async () => {
    for (const name of ['c', 'd']) await service.add('/api/child', { name, parents: refs(0, 1) })
    expect((await service.snapshot()).child_parents).toHaveLength(4)
  })

  test('PATCH: adds associations', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0) })
    const { status, body } = await service.patch(`/api/child/${id}`, { parents: refs(2) })
    expect(status).toBe(200)
    expect(body.parents).toEqual([parents[0], parents[2]])
    expect((await service.patch(`/api/child/${id}`, { parents: refs(0, 1) })).body.parents).toEqual(parents)
    expect((await service.read(`/api/child/${id}`)).parents).toEqual(parents)
  })

  test('PATCH: `[]` adds nothing', async () => {
    const child = await service.add('/api/child', { name: 'c', parents: refs(0) })
    expect((await service.patch(`/api/child/${child.id}`, { parents: [] })).body).toEqual(child)
    expect((await service.patch(`/api/child/${child.id}`, { name: 'd' })).body).toEqual({ ...child, name: 'd' })
  })

  test('PATCH of the same twice: 200, one link', async () => {
    const child = await service.add('/api/child', { name: 'c', parents: refs(1) })
    for (let i = 0; i < 2; i++) {
      const { status, body } = await service.patch(`/api/child/${child.id}`, { parents: refs(1) })
      expect(status).toBe(200)
      expect(body).toEqual(child)
    }
    expect((await service.snapshot()).child_parents).toHaveLength(1)
  })

  test('PUT: the set becomes the listed one', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0, 1) })
    const { status, body } = await service.put(`/api/child/${id}`, { name: 'c', parents: refs(2, 1) })
    expect(status).toBe(200)
    expect(body.parents).toEqual([parents[1], parents[2]])
    expect(await service.read(`/api/child/${id}`)).toEqual(body)
    expect((await service.snapshot()).child_parents).toHaveLength(2)
  })

  test('PUT: leaving it out or `[]` is 400, unchanged', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0) })
    for (const rest of [{}, { parents: [] }, { parents: null }]) {
      await service.refuse(
        'PUT',
        `/api/child/${id}`,
        { name: 'd', ...rest },
        { code: 'CRUD_ERR_INVALID', pointers: ['/parents'] },
      )
    }
  })

  test('PATCH: null is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0) })
    await service.refuse(
      'PATCH',
      `/api/child/${id}`,
      { parents: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/parents'] },
    )
  })

  test('a parent that does not exist is 400, and no child is stored', async () => {
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/parents/1/id'] } as const
    const wrong = [...refs(0), { id: missingId('parent') }]
    await service.refuse('POST', '/api/child', { name: 'd', parents: wrong }, refused)
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0) })
    await service.refuse('PATCH', `/api/child/${id}`, { name: 'd', parents: wrong }, refused)
    await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parents: wrong }, refused)
  })

  test('the same id twice in one array is 400', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/parents/1/id'] } as const
    await service.refuse('POST', '/api/child', { name: 'd', parents: refs(0, 0) }, refused)
    const { id } = await service.add('/api/child', { name: 'c', parents: refs(0) })
    await service.refuse('PATCH', `/api/child/${id}`, { parents: refs(1, 1) }, refused)
    await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parents: refs(1, 1) }, refused)
  })

  test('what is no id is 400', async () => {
    for (const id of [...noIds('parent', parents[0].id), null]) {
      await service.refuse(
        'POST',
        '/api/child',
        { name: 'd', parents: [{ id }] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/parents/0/id'],
        },
      )
    }
    for (const element of [null, parents[0].id, 'x', [parents[0].id]]) {
      await service.refuse(
        'POST',
        '/api/child',
        { name: 'd', parents: [element] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/parents/0'],
        },
      )
    }
    await service.refuse(
      'POST',
      '/api/child',
      { name: 'd', parents: [{}] },
      { code: 'CRUD_ERR_INVALID', pointers: ['/parents/0/id'] },
    )
  })

  test('what else the nested records say is accepted and ignored', async () => {
    const nested = [{ ...parents[0], name: 'other' }, { ...parents[1] }]
    const child = await service.add('/api/child', { name: 'c', parents: nested })
    expect(child.parents).toEqual(parents.slice(0, 2))
    expect((await service.put(`/api/child/${child.id}`, { ...child, parents: nested })).body).toEqual(child)
    expect((await service.patch(`/api/child/${child.id}`, { parents: nested })).body).toEqual(child)
    expect((await service.read('/api/parent')).rows).toEqual(parents)
  })
})
