import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { FOUR, NINE, useShop } from './shop.ts'

describeOnBoth('writes of many records of a tenant', (database) => {
  const shop = useShop(database)
  const project = (id: string) => ({ id, name: id, tasks: [{ title: 'one' }] })

  test('reach its own records only, though another tenant has the same ids and values', async () => {
    for (const tenant of [FOUR, NINE]) await shop.add(tenant, '/api/project', ['a', 'b'].map(project))
    const before = (await shop.request(NINE, 'GET', '/api/project')).body
    const patched = await shop.request(FOUR, 'PATCH', '/api/project', [
      { id: 'a', name: 'b' },
      { id: 'b', name: 'a' },
    ])
    expect(patched.body.rows).toMatchObject([{ name: 'b' }, { name: 'a' }])
    expect(await shop.request(FOUR, 'PUT', '/api/project?by=name', { id: 'c', name: 'c', tasks: [] })).toMatchObject({
      status: 201,
    })
    const missing = await shop.request(NINE, 'PATCH', '/api/project', [{ id: 'c', name: 'x' }])
    expect(missing).toMatchObject({ status: 404, body: { code: 'CRUD_ERR_NOT_FOUND' } })
    const deleted = await shop.service.request('DELETE', '/api/project?filter[id][null]=false', undefined, {
      'x-org': FOUR,
      prefer: 'max-affected=10',
    })
    expect(deleted.body).toEqual({ count: 3 })
    expect((await shop.request(NINE, 'GET', '/api/project')).body).toEqual(before)
  })
})
