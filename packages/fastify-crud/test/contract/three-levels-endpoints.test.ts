import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

describeOnBoth('/api/a/:a_id/b/:b_id/c/:id', (database) => {
  const service = useApp(database, threeLevels)

  test('any depth has the same routes', async () => {
    const a = await service.add('/api/a', { name: 'a', bs: [{ name: 'b', cs: [{ name: 'c' }] }] })
    const b = a.bs[0]
    const path = `/api/a/${a.id}/b/${b.id}/c`
    expect(await service.read(path)).toEqual({ rows: b.cs, count: 1 })
    const answer = await service.post(path, { name: 'd' })
    expect(answer.status).toBe(201)
    const { id } = answer.body
    expect(answer.headers.location).toMatch(new RegExp(`${path}/${id}$`))
    expect((await service.patch(`${path}/${id}`, { note: 'n' })).body).toEqual({ id, name: 'd', note: 'n' })
    expect((await service.put(`${path}/${id}`, { name: 'e' })).body).toEqual({ id, name: 'e', note: null })
    expect((await service.put(path, { id, name: 'f' })).body).toEqual({ id, name: 'f', note: null })
    expect((await service.delete(`${path}/${id}`)).status).toBe(204)
    expect(await service.read(`/api/a/${a.id}`)).toEqual(a)
  })

  test('404 where any owner of the path is not the owner', async () => {
    const first = await service.add('/api/a', { name: 'a', bs: [{ name: 'b', cs: [{ name: 'c' }] }] })
    const second = await service.add('/api/a', { name: 'a', bs: [{ name: 'b', cs: [{ name: 'c' }] }, { name: 'e' }] })
    const [b] = first.bs
    const [c] = b.cs
    const wrong = [
      `/api/a/${second.id}/b/${b.id}/c/${c.id}`,
      `/api/a/${first.id}/b/${second.bs[0].id}/c/${c.id}`,
      `/api/a/${second.id}/b/${second.bs[1].id}/c/${second.bs[0].cs[0].id}`,
      `/api/a/${missingId('a')}/b/${b.id}/c/${c.id}`,
      `/api/a/${first.id}/b/${missingId('b')}/c/${c.id}`,
    ]
    for (const path of wrong) {
      await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('PUT', path, { name: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('PATCH', path, { name: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
    const collection = `/api/a/${second.id}/b/${b.id}/c`
    await service.refuse('GET', collection, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('POST', collection, { name: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PUT', collection, { id: c.id, name: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})
