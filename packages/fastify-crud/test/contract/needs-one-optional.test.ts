import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { needsOneOptional, needsOneOptionalUnique } from './models/needs-one-optional.ts'

describeOnBoth('needs.one with optional', (database) => {
  const service = useApp(database, needsOneOptional)
  let first: JsonBody
  let second: JsonBody

  beforeEach(async () => {
    first = await service.add('/api/parent', { name: 'p1' })
    second = await service.add('/api/parent', { name: 'p2' })
  })

  test('POST: the foreign key may be left out or null', async () => {
    for (const rest of [{}, { parentId: null }, { parent: null }]) {
      const child = await service.add('/api/child', { name: 'c', ...rest })
      expect(child).toEqual({ id: child.id, name: 'c', note: null, parentId: null, parent: null })
      expect(await service.read(`/api/child/${child.id}`)).toEqual(child)
    }
    expect(await service.add('/api/child', { name: 'c', parentId: first.id })).toMatchObject({ parent: first })
  })

  test('PATCH: the foreign key sets it, null clears it, without it nothing changes', async () => {
    const child = await service.add('/api/child', { name: 'c', note: 'n' })
    const path = `/api/child/${child.id}`
    const withParent = (parent: JsonBody) => ({ ...child, parentId: parent.id, parent })
    expect((await service.patch(path, { parentId: first.id })).body).toEqual(withParent(first))
    expect((await service.patch(path, { parentId: second.id })).body).toEqual(withParent(second))
    expect((await service.patch(path, {})).body).toEqual(withParent(second))
    expect((await service.patch(path, { parentId: null })).body).toEqual(child)
    expect(await service.read(path)).toEqual(child)
  })

  test('PUT: the foreign key sets it; without it or with null it is cleared', async () => {
    const child = await service.add('/api/child', { name: 'c' })
    const path = `/api/child/${child.id}`
    for (const rest of [{}, { parentId: null }]) {
      expect((await service.put(path, { name: 'c', parentId: first.id })).body.parent).toEqual(first)
      expect((await service.put(path, { name: 'c', ...rest })).body).toEqual(child)
    }
  })

  test('PUT of what GET returned runs no UPDATE, with a parent and without', async () => {
    const alone = await service.add('/api/child', { name: 'c' })
    const child = await service.add('/api/child', { name: 'd', parentId: first.id })
    const statements = await service.statements(async () => {
      for (const record of [alone, child]) {
        expect((await service.put(`/api/child/${record.id}`, record)).body).toEqual(record)
      }
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('a parent that does not exist is 400', async () => {
    const { id } = await service.add('/api/child', { name: 'c' })
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/parentId'] } as const
    await service.refuse('POST', '/api/child', { name: 'd', parentId: missingId('parent') }, refused)
    await service.refuse('PUT', `/api/child/${id}`, { name: 'd', parentId: missingId('parent') }, refused)
    await service.refuse('PATCH', `/api/child/${id}`, { parentId: missingId('parent') }, refused)
  })

  test('a nested parent without the foreign key is 400, unless it is the one that is set', async () => {
    const child = await service.add('/api/child', { name: 'c', parentId: first.id })
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/parent'] } as const
    await service.refuse('POST', '/api/child', { name: 'd', parent: first }, refused)
    await service.refuse('PUT', `/api/child/${child.id}`, { name: 'd', parent: first }, refused)
    await service.refuse('PATCH', `/api/child/${child.id}`, { parent: second }, refused)
    await service.refuse('PATCH', `/api/child/${child.id}`, { parent: null }, refused)
    expect((await service.patch(`/api/child/${child.id}`, { parent: first })).body).toEqual(child)
  })

  test('DELETE of a parent that is needed is 409, until the child goes, is cleared or moves', async () => {
    await service.add('/api/child', { name: 'alone' })
    const [a, b, c] = [
      await service.add('/api/child', { name: 'a', parentId: first.id }),
      await service.add('/api/child', { name: 'b', parentId: first.id }),
      await service.add('/api/child', { name: 'c', parentId: first.id }),
    ]
    const path = `/api/parent/${first.id}`
    const needed = (count: RegExp) => ({ code: 'CRUD_ERR_STILL_NEEDED', detail: count }) as const
    await service.refuse('DELETE', path, undefined, needed(/\b3 child records/))
    await service.delete(`/api/child/${a.id}`)
    await service.patch(`/api/child/${b.id}`, { parentId: null })
    await service.refuse('DELETE', path, undefined, needed(/\b1 child record\b/))
    await service.patch(`/api/child/${c.id}`, { parentId: second.id })
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.read('/api/child')).rows.map((row: JsonBody) => row.parentId)).toEqual([
      null,
      null,
      second.id,
    ])
  })
})

describeOnBoth('needs.one with optional and unique', (database) => {
  const service = useApp(database, needsOneOptionalUnique)

  test('a parent serves one child, and any number of children are without one', async () => {
    const parent = await service.add('/api/parent', { name: 'p' })
    const child = await service.add('/api/child', { name: 'a', parentId: parent.id })
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/parentId'] } as const
    await service.refuse('POST', '/api/child', { name: 'b', parentId: parent.id }, taken)
    const others = [await service.add('/api/child', { name: 'b' }), await service.add('/api/child', { name: 'c' })]
    await service.refuse('PATCH', `/api/child/${others[0].id}`, { parentId: parent.id }, taken)
    expect((await service.put(`/api/child/${child.id}`, { name: 'a' })).body.parent).toBeNull()
    expect((await service.patch(`/api/child/${others[1].id}`, { parentId: parent.id })).body.parent).toEqual(parent)
  })
})
