import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ownsMany } from './models/owns-many.ts'
import { ownsOne } from './models/owns-one.ts'

describeOnBoth('DELETE of an owner', (database) => {
  const service = useApp(database, ownsMany)

  test('its owned records go with it', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }, { name: '2' }] })
    const other = await service.add('/api/parent', { name: 'b', children: [{ name: '3' }] })
    expect((await service.delete(`/api/parent/${id}`)).status).toBe(204)
    expect((await service.read('/api/parent')).rows).toEqual([other])
    expect((await service.snapshot()).child).toHaveLength(1)
    await service.refuse('GET', `/api/parent/${id}/child`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('twice: 204, then 404', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }] })
    expect((await service.delete(`/api/parent/${id}`)).status).toBe(204)
    await service.refuse('DELETE', `/api/parent/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a child deleted twice: 204, then 404', async () => {
    const { id, children } = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }] })
    const path = `/api/parent/${id}/child/${children[0].id}`
    expect((await service.delete(path)).status).toBe(204)
    await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    expect((await service.read(`/api/parent/${id}`)).children).toEqual([])
  })
})

describeOnBoth('DELETE of an owner of one', (database) => {
  const service = useApp(database, ownsOne)

  test('its owned records go with it', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', child: { nick: 'x' }, badge: { label: 'l' } })
    expect((await service.delete(`/api/parent/${id}`)).status).toBe(204)
    expect(await service.snapshot()).toEqual({ badge: [], child: [], parent: [] })
  })
})
