import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { needsManyExclusive } from './models/needs-many.ts'

const taken = 'CRUD_ERR_NOT_UNIQUE'

describeOnBoth('`neededBy.one` facing `needs.many`', (database) => {
  const service = useApp(database, needsManyExclusive)
  let parents: JsonBody[]
  let child: JsonBody
  const refs = (...indexes: number[]) => indexes.map((index) => ({ id: parents[index].id }))

  beforeEach(async () => {
    parents = []
    for (const name of ['p0', 'p1', 'p2']) parents.push(await service.add('/api/parent', { name }))
    child = await service.add('/api/child', { name: 'c', parents: refs(0, 1) })
  })

  test('a parent serves at most one child: a second one is 409', async () => {
    const body = { name: 'd', parents: refs(2, 1) }
    await service.refuse('POST', '/api/child', body, { code: taken, pointers: ['/parents/1/id'] })
    const other = await service.add('/api/child', { name: 'd', parents: refs(2) })
    await service.refuse('PUT', `/api/child/${other.id}`, body, { code: taken, pointers: ['/parents/1/id'] })
    await service.refuse(
      'PATCH',
      `/api/child/${other.id}`,
      { parents: refs(0) },
      { code: taken, pointers: ['/parents/0/id'] },
    )
    expect(await service.read(`/api/child/${child.id}`)).toEqual(child)
  })

  test('a child may name its own parents again', async () => {
    expect((await service.patch(`/api/child/${child.id}`, { parents: refs(0) })).body).toEqual(child)
    expect((await service.put(`/api/child/${child.id}`, child)).body).toEqual(child)
    const { body } = await service.put(`/api/child/${child.id}`, { name: 'c', parents: refs(1, 2) })
    expect(body.parents).toEqual([parents[1], parents[2]])
  })

  test('a parent that was left is free', async () => {
    await service.put(`/api/child/${child.id}`, { name: 'c', parents: refs(1) })
    const other = await service.add('/api/child', { name: 'd', parents: refs(0) })
    expect(other.parents).toEqual([parents[0]])
    await service.delete(`/api/child/${child.id}`)
    expect((await service.patch(`/api/child/${other.id}`, { parents: refs(1) })).body.parents).toEqual(
      parents.slice(0, 2),
    )
  })

  test('a parent is deleted only without its child', async () => {
    await service.refuse('DELETE', `/api/parent/${parents[0].id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await service.delete(`/api/parent/${parents[2].id}`)).status).toBe(204)
  })
})
