import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId, chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { ownsOne, ownsOneRequired } from './models/owns-one.ts'

describeOnBoth('/api/parent/:parent_id/child with owns.one', (database) => {
  const service = useApp(database, ownsOne)

  test('POST below an owner without one creates it', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    const answer = await service.post(`/api/parent/${parent.id}/child`, { nick: 'x' })
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toMatch(new RegExp(`/api/parent/${parent.id}/child/${answer.body.id}$`))
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual({ ...parent, child: answer.body })
  })

  test('POST below an owner that already has its child is 409', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const path = `/api/parent/${parent.id}/child`
    await service.refuse('POST', path, { nick: 'y' }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('POST', `${path}/${chosenId('child')}`, { nick: 'y' }, { code: 'CRUD_ERR_EXISTS' })
  })

  test('GET lists the one child, or none', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const childless = await service.add('/api/parent', { name: 'b' })
    expect(await service.read(`/api/parent/${parent.id}/child`)).toEqual({ rows: [parent.child], count: 1 })
    expect(await service.read(`/api/parent/${childless.id}/child`)).toEqual({ rows: [], count: 0 })
  })

  test('GET, PUT, PATCH and DELETE with its id', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 } })
    const { id } = parent.child
    const path = `/api/parent/${parent.id}/child/${id}`
    expect(await service.read(path)).toEqual({ id, nick: 'x', age: 1 })
    expect((await service.patch(path, { age: 2 })).body).toEqual({ id, nick: 'x', age: 2 })
    expect((await service.put(path, { age: 3 })).body).toEqual({ id, nick: null, age: 3 })
    expect((await service.put(`/api/parent/${parent.id}/child`, { id, nick: 'z' })).body).toEqual({
      id,
      nick: 'z',
      age: null,
    })
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual({ ...parent, child: null })
    expect((await service.post(`/api/parent/${parent.id}/child`, {})).status).toBe(201)
  })

  test("404 where it is another owner's", async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const other = await service.add('/api/parent', { name: 'b', child: { nick: 'y' } })
    const path = `/api/parent/${parent.id}/child/${other.child.id}`
    await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PUT', path, { nick: 'z' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PATCH', path, { nick: 'z' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('two owned resources of one owner do not mix', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' }, badge: { label: 'l' } })
    expect(await service.read(`/api/parent/${parent.id}/badge`)).toEqual({ rows: [parent.badge], count: 1 })
    await service.delete(`/api/parent/${parent.id}/child/${parent.child.id}`)
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual({ ...parent, child: null })
  })
})

describeOnBoth('owns.one with required', (database) => {
  const service = useApp(database, ownsOneRequired)

  test('DELETE of the child alone is 409, and 404 where it is not there', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const path = `/api/parent/${parent.id}/child`
    await service.refuse('DELETE', `${path}/${parent.child.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await service.refuse('DELETE', `${path}/${missingId('child')}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('POST without the child is 400', async () => {
    await service.refuse('POST', '/api/parent', { name: 'a' }, { code: 'CRUD_ERR_INVALID', pointers: ['/child'] })
    await service.refuse(
      'POST',
      '/api/parent',
      { name: 'a', child: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
    )
    await service.refuse(
      'POST',
      '/api/parent',
      { name: 'a', child: {} },
      { code: 'CRUD_ERR_INVALID', pointers: ['/child/nick'] },
    )
  })

  test('POST with the child creates both', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    expect(parent).toEqual({ id: parent.id, name: 'a', child: { id: anyId, nick: 'x', age: null } })
  })

  test('PUT without the child, or with null, is 400', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    await service.refuse('PUT', `/api/parent/${id}`, { name: 'b' }, { code: 'CRUD_ERR_INVALID', pointers: ['/child'] })
    await service.refuse(
      'PUT',
      `/api/parent/${id}`,
      { name: 'b', child: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
    )
  })

  test('PUT with the child keeps its id', async () => {
    const { id, child } = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 } })
    const { body } = await service.put(`/api/parent/${id}`, { name: 'b', child: { nick: 'y' } })
    expect(body).toEqual({ id, name: 'b', child: { id: child.id, nick: 'y', age: null } })
  })

  test('PATCH cannot remove it', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    await service.refuse(
      'PATCH',
      `/api/parent/${id}`,
      { child: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
    )
  })

  test('DELETE of the owner takes it along', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    expect((await service.delete(`/api/parent/${id}`)).status).toBe(204)
    expect(await service.snapshot()).toEqual({ child: [], parent: [] })
  })
})
