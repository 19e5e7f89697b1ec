import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnBoth('Idempotency-Key of a write of many records', (database) => {
  const service = useApp(database, shopFloor)
  let tags: JsonBody[] = []
  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.request(method, path, body, { 'idempotency-key': 'k', ...headers })

  beforeEach(async () => {
    tags = (await service.add('/api/tag', [{ name: 'a' }, { name: 'b' }])).rows
  })

  test('a POST of an array that is sent again creates nothing, and gets the records that are still there', async () => {
    const bodies = [{ name: 'c' }, { name: 'd' }]
    const first = await send('POST', '/api/tag', bodies)
    expect(await send('POST', '/api/tag', bodies)).toMatchObject({ status: 201, body: first.body })
    await service.patch('/api/tag', [{ id: first.body.rows[0].id, name: 'C' }])
    await service.delete(`/api/tag/${first.body.rows[1].id}`)
    const again = await send('POST', '/api/tag', bodies)
    expect(again).toMatchObject({ status: 201, body: { rows: [{ name: 'C' }] } })
    expect((await service.read('/api/tag')).count).toBe(3)
  })

  test('a PATCH of an array that is sent again changes nothing, also if its records are gone', async () => {
    const bodies = tags.map(({ id, name }) => ({ id, name: `${name}${name}` }))
    expect((await send('PATCH', '/api/tag', bodies)).body.rows).toEqual(bodies)
    await service.patch(`/api/tag/${tags[0]?.id}`, { name: 'x' })
    await service.delete(`/api/tag/${tags[1]?.id}`)
    const again = await send('PATCH', '/api/tag', bodies)
    expect(again).toMatchObject({ status: 200, body: { rows: [{ id: tags[0]?.id, name: 'x' }] } })
  })

  test('a PATCH by a filter that is sent again gets the same count', async () => {
    const patch = () => send('PATCH', '/api/tag?filter[name]=a', { name: 'z' }, { prefer: 'max-affected=1' })
    expect(await patch()).toMatchObject({ status: 200, body: { count: 1 } })
    // Now two would match, which are more than it may change.
    await service.add('/api/tag', [{ name: 'a' }, { name: 'a' }])
    expect(await patch()).toMatchObject({ status: 200, body: { count: 1 } })
    expect((await service.read('/api/tag?filter[name]=a')).count).toBe(2)
  })

  test('a PATCH that changes nothing is kept, too', async () => {
    const bodies = tags.map(({ id, name }) => ({ id, name }))
    expect((await send('PATCH', '/api/tag', bodies)).body).toEqual({ rows: tags })
    expect((await send('PATCH', '/api/tag', bodies)).body).toEqual({ rows: tags })
  })

  test('the same key with other bodies is 422', async () => {
    await send('POST', '/api/tag', [{ name: 'c' }])
    const other = await send('POST', '/api/tag', [{ name: 'd' }])
    expect(other.status).toBe(422)
    expect(other.body).toMatchObject({ code: 'CRUD_ERR_REPEAT' })
  })

  test('what is refused is not kept', async () => {
    expectProblem(await send('POST', '/api/tag', [{ name: 'c' }, {}]), { code: 'CRUD_ERR_INVALID' })
    expect((await send('POST', '/api/tag', [{ name: 'c' }])).status).toBe(201)
  })

  test('with `return=minimal` the repeat has no body either', async () => {
    const minimal = () => send('PATCH', '/api/tag', [{ id: tags[0]?.id, name: 'm' }], { prefer: 'return=minimal' })
    expect(await minimal()).toMatchObject({ status: 204, body: undefined })
    expect(await minimal()).toMatchObject({ status: 204, body: undefined })
  })
})
