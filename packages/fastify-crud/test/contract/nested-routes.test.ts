import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import {
  anyId,
  clientGivesIds,
  largeIds,
  missingId,
  noIdInPath,
  withIntegerIds,
} from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnBoth('/api/parent/:parent_id/child[/:id]', (database) => {
  const service = useApp(database, ownsMany)
  let owner: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const children = [{ name: 'c1', note: 'n1', grade: 3 }, { name: 'c2' }]
    owner = await service.add('/api/parent', { name: 'a', note: 'x', children })
    other = await service.add('/api/parent', { name: 'b', children: [{ name: 'd' }] })
    path = `/api/parent/${owner.id}/child`
  })

  /** Everything but the children of the owner under test is as it was. */
  async function expectOthersUntouched() {
    const { children: _, ...fields } = await service.read(`/api/parent/${owner.id}`)
    expect(fields).toEqual({ id: owner.id, name: 'a', note: 'x' })
    expect(await service.read(`/api/parent/${other.id}`)).toEqual(other)
  }

  test('GET answers 200 { rows, count } of the children', async () => {
    expect(await service.read(path)).toEqual({ rows: owner.children, count: 2 })
  })

  test('GET with an id answers 200 the record', async () => {
    expect(await service.read(`${path}/${owner.children[0].id}`)).toEqual(owner.children[0])
  })

  test('POST answers 201, Location, the record', async () => {
    const answer = await service.post(path, { name: 'c3' })
    expect(answer.status).toBe(201)
    const { id } = answer.body
    expect(answer.body).toEqual({ id: anyId, name: 'c3', note: null, grade: 1 })
    expect(answer.headers.location).toMatch(new RegExp(`/api/parent/${owner.id}/child/${id}$`))
    expect((await service.read(`/api/parent/${owner.id}`)).children).toEqual([...owner.children, answer.body])
    await expectOthersUntouched()
  })

  test('PUT replaces the child', async () => {
    const { id } = owner.children[0]
    const answer = await service.put(`${path}/${id}`, { name: 'new' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id, name: 'new', note: null, grade: 1 })
    expect((await service.read(path)).rows).toEqual([answer.body, owner.children[1]])
    await expectOthersUntouched()
  })

  test('PUT with the id in the body replaces the child', async () => {
    const { id } = owner.children[1]
    const answer = await service.put(path, { id, name: 'new' })
    expect(answer.status).toBe(200)
    expect((await service.read(path)).rows).toEqual([owner.children[0], answer.body])
    await service.refuse('PUT', path, { name: 'new' }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
    await expectOthersUntouched()
  })

  test('PATCH changes what is in the body', async () => {
    const { id } = owner.children[0]
    const answer = await service.patch(`${path}/${id}`, { note: null })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ...owner.children[0], note: null })
    await expectOthersUntouched()
  })

  test('DELETE answers 204 and leaves the others', async () => {
    expect((await service.delete(`${path}/${owner.children[0].id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual({ rows: [owner.children[1]], count: 1 })
    await expectOthersUntouched()
  })

  test('404 if the owner does not exist', async () => {
    const missing = `/api/parent/${missingId('parent')}/child`
    const { id } = owner.children[0]
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    await service.refuse('GET', missing, undefined, notFound)
    await service.refuse('POST', missing, { name: 'c' }, notFound)
    await service.refuse('PUT', missing, { id, name: 'c' }, notFound)
    await service.refuse('GET', `${missing}/${id}`, undefined, notFound)
    await service.refuse('PUT', `${missing}/${id}`, { name: 'c' }, notFound)
    await service.refuse('PATCH', `${missing}/${id}`, { name: 'c' }, notFound)
    await service.refuse('DELETE', `${missing}/${id}`, undefined, notFound)
  })

  test("404 if the record is not that owner's", async () => {
    const { id } = other.children[0]
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    await service.refuse('GET', `${path}/${id}`, undefined, notFound)
    await service.refuse('PUT', `${path}/${id}`, { name: 'c' }, notFound)
    await service.refuse('PATCH', `${path}/${id}`, { name: 'c' }, notFound)
    await service.refuse('PATCH', `${path}/${id}`, {}, notFound)
    await service.refuse('DELETE', `${path}/${id}`, undefined, notFound)
  })

  test('what is no id of the owner is 400, an id that is too large is 404', async () => {
    const [{ id: childId }] = owner.children
    const wrong = `/api/parent/${noIdInPath}/child`
    await service.refuse('GET', wrong, undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('DELETE', `${wrong}/${childId}`, undefined, { code: 'CRUD_ERR_INVALID' })
    for (const id of largeIds('parent')) {
      await service.refuse('GET', `/api/parent/${id}/child`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('POST', `/api/parent/${id}/child`, { name: 'c' }, { code: 'CRUD_ERR_NOT_FOUND' })
    }
    for (const id of largeIds('child')) {
      await service.refuse('DELETE', `${path}/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('a child cannot move to another owner', async () => {
    const { id } = owner.children[0]
    for (const name of ['parentId', 'parent', 'parent_id']) {
      const move = { name: 'c', [name]: name === 'parent' ? { id: other.id } : other.id }
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
      await service.refuse('PUT', `${path}/${id}`, move, refused)
      await service.refuse('PATCH', `${path}/${id}`, move, refused)
      await service.refuse('POST', path, move, refused)
    }
  })

  test('an id in the body other than that of the path is 400', async () => {
    const [first, second] = owner.children
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/id'] } as const
    await service.refuse('PUT', `${path}/${first.id}`, { id: second.id, name: 'c' }, refused)
    await service.refuse('PATCH', `${path}/${first.id}`, { id: second.id }, refused)
    const inPost = clientGivesIds ? ({ code: 'CRUD_ERR_EXISTS' } as const) : refused
    await service.refuse('POST', path, { id: first.id, name: 'c' }, inPost)
  })
})

describeOnBoth('an owner in a path whose ids are integers', (database) => {
  const service = useApp(database, withIntegerIds(ownsMany))

  test('is 400 where there are no digits, and 404 where there are too many', async () => {
    for (const id of ['x', '01', '-0', '1e3', '%201']) {
      await service.refuse('GET', `/api/parent/${id}/child`, undefined, { code: 'CRUD_ERR_INVALID' })
      await service.refuse('DELETE', `/api/parent/${id}/child/1`, undefined, { code: 'CRUD_ERR_INVALID' })
    }
    const tooMany = '/api/parent/99999999999999999999/child'
    await service.refuse('GET', tooMany, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('POST', tooMany, { name: 'c' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', `${tooMany}/1`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})
