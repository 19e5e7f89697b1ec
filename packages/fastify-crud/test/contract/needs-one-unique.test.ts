import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { needsOneUnique } from './models/needs-one.ts'

const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/parentId'] } as const

describeOnBoth('needs.one with unique', (database) => {
  const service = useApp(database, needsOneUnique)
  let first: JsonBody
  let second: JsonBody
  let child: JsonBody

  beforeEach(async () => {
    first = await service.add('/api/parent', { name: 'p1' })
    second = await service.add('/api/parent', { name: 'p2' })
    child = await service.add('/api/child', { name: 'c', parentId: first.id })
  })

  test('a unique parent already taken is 409, the present child keeps it', async () => {
    await service.refuse('POST', '/api/child', { name: 'd', parentId: first.id }, taken)
    const other = await service.add('/api/child', { name: 'd', parentId: second.id })
    await service.refuse('PATCH', `/api/child/${other.id}`, { parentId: first.id }, taken)
    await service.refuse('PUT', `/api/child/${other.id}`, { name: 'd', parentId: first.id }, taken)
    expect(await service.read(`/api/child/${child.id}`)).toEqual(child)
  })

  test('a child may name its own parent again', async () => {
    expect((await service.patch(`/api/child/${child.id}`, { parentId: first.id })).body).toEqual(child)
    expect((await service.put(`/api/child/${child.id}`, { name: 'e', parentId: first.id })).body).toEqual({
      ...child,
      name: 'e',
    })
  })

  test('a parent that was left is free', async () => {
    await service.patch(`/api/child/${child.id}`, { parentId: second.id })
    const other = await service.add('/api/child', { name: 'd', parentId: first.id })
    expect(other.parent).toEqual(first)
    await service.delete(`/api/child/${other.id}`)
    await service.add('/api/child', { name: 'e', parentId: first.id })
  })

  test('a parent is deleted only without its child', async () => {
    await service.refuse('DELETE', `/api/parent/${first.id}`, undefined, {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: /\b1\b.*child/,
    })
    await service.delete(`/api/child/${child.id}`)
    expect((await service.delete(`/api/parent/${first.id}`)).status).toBe(204)
  })
})
