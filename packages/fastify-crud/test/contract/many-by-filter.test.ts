import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnDrivers('PATCH and DELETE by a filter', (database) => {
  const service = useApp(database, shopFloor)
  let maker: JsonBody
  let items: JsonBody[] = []

  beforeEach(async () => {
    maker = await service.add('/api/maker', { name: 'm' })
    const bodies = [1, 2, 3, 4].map((price) => ({ code: `c${price}`, price, makerId: maker.id }))
    items = (await service.add('/api/item', bodies)).rows
  })

  const send = (method: string, query: string, most: number, body?: unknown) =>
    service.request(method, `/api/item?${query}`, body, { prefer: `max-affected=${most}` })

  test('DELETE removes all that match, and says how many', async () => {
    expect(await send('DELETE', 'filter[price][gte]=3', 2)).toMatchObject({
      status: 200,
      body: { count: 2 },
      headers: { 'preference-applied': 'max-affected=2' },
    })
    expect((await service.read('/api/item')).rows).toEqual(items.slice(0, 2))
    expect((await send('DELETE', 'filter[price]=77', 0)).body).toEqual({ count: 0 })
  })

  test('PATCH changes all that match, and says how many', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const body = { title: null, price: 8, tags: [{ id: tag.id }] }
    expect(await send('PATCH', 'filter={"or":[{"price":1},{"code":"c4"}]}', 2, body)).toMatchObject({
      body: { count: 2 },
    })
    const { rows } = await service.read('/api/item?sort=code')
    expect(rows.map(({ price }: JsonBody) => price)).toEqual([8, 2, 3, 8])
    expect(rows[3].tags).toMatchObject([{ id: tag.id }])
  })

  test('a PATCH creates in each record what its body has of new ones', async () => {
    await service.add('/api/shelf', [{ name: 's' }, { name: 's' }])
    const prefer = { prefer: 'max-affected=4' }
    const body = { boxes: [{ label: 'x' }] }
    expect((await service.request('PATCH', '/api/shelf?filter[name]=s', body, prefer)).body).toEqual({ count: 2 })
    const { rows } = await service.read('/api/shelf')
    expect(rows).toMatchObject([{ boxes: [{ label: 'x' }] }, { boxes: [{ label: 'x' }] }])
    expect(rows[0].boxes[0].id).not.toBe(rows[1].boxes[0].id)
  })

  test('a filter that all records match is refused, as is none', async () => {
    const before = await service.snapshot()
    for (const filter of ['{}', '{"and":[]}', '{"and":[{},{"or":[{},{"price":1}]}]}']) {
      for (const [method, body] of [['DELETE'], ['PATCH', { price: 1 }]] as const) {
        const answer = await send(method, `filter=${encodeURIComponent(filter)}`, 10, body)
        expectProblem(answer, { code: 'CRUD_ERR_INVALID', parameters: ['filter'] })
      }
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('says by the name of the header that it may not affect as many', async () => {
    const answer = await send('DELETE', 'filter[price]=1', 10_001)
    expectProblem(answer, { code: 'CRUD_ERR_INVALID', parameters: ['Prefer'] })
    expect(answer.body.detail).toContain('max-affected')
  })

  test('does nothing if it would affect more than it may', async () => {
    const before = await service.snapshot()
    expectProblem(await send('DELETE', 'filter[price][gte]=2', 2), { code: 'CRUD_ERR_TOO_LARGE' })
    const shelf = await service.add('/api/shelf', { name: 's', boxes: [{ label: 'x', parts: [{ name: 'p' }] }] })
    const path = `/api/shelf?filter[id]=${encodeURIComponent(shelf.id)}`
    // The shelf, its box and a part.
    expectProblem(await service.request('DELETE', path, undefined, { prefer: 'max-affected=2' }), {
      code: 'CRUD_ERR_TOO_LARGE',
    })
    expect((await service.request('DELETE', path, undefined, { prefer: 'max-affected=3' })).body).toEqual({ count: 1 })
    expect(await service.snapshot()).toEqual(before)
  })

  test('needs both a filter and `max-affected`, which is no more than a body may hold', async () => {
    await service.refuse('DELETE', '/api/item', undefined, {
      code: 'CRUD_ERR_INVALID',
      parameters: ['filter', 'Prefer'],
    })
    await service.refuse('DELETE', '/api/item?filter[price]=1', undefined, {
      code: 'CRUD_ERR_INVALID',
      parameters: ['Prefer'],
    })
    await service.refuse(
      'PATCH',
      '/api/item?filter[price]=1',
      { price: 2 },
      {
        code: 'CRUD_ERR_INVALID',
        parameters: ['Prefer'],
      },
    )
    expectProblem(await service.request('PATCH', '/api/item', { price: 2 }, { prefer: 'max-affected=1' }), {
      code: 'CRUD_ERR_INVALID',
      parameters: ['filter'],
    })
    expectProblem(await send('DELETE', 'filter[price]=1', 10_001), { code: 'CRUD_ERR_INVALID' })
    expectProblem(await send('DELETE', 'filter[prise]=1', 1), {
      code: 'CRUD_ERR_INVALID',
      parameters: ['filter[prise]'],
    })
    expectProblem(await send('DELETE', 'filter[price]=1&limit=1', 1), {
      code: 'CRUD_ERR_INVALID',
      parameters: ['limit'],
    })
  })

  test('an array and a filter, or an id beside a filter, is 400', async () => {
    expectProblem(await send('PATCH', 'filter[price]=1', 1, [{ id: items[0]?.id, price: 2 }]), {
      code: 'CRUD_ERR_INVALID',
      parameters: ['filter'],
    })
    expectProblem(await send('DELETE', 'filter[price]=1', 1, [{ id: items[0]?.id }]), {
      code: 'CRUD_ERR_INVALID',
      parameters: ['filter'],
    })
    expectProblem(await send('PATCH', 'filter[price]=1', 1, { id: items[0]?.id, price: 2 }), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/id'],
    })
  })

  test('keeps what others need: then nothing is deleted', async () => {
    await service.add('/api/maker', { name: 'n' })
    const prefer = { prefer: 'max-affected=10' }
    const answer = await service.request(
      'DELETE',
      '/api/maker?filter[name][in]=m&filter[name][in]=n',
      undefined,
      prefer,
    )
    expectProblem(answer, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await service.read('/api/maker')).count).toBe(2)
  })

  test('below an owner, only its own records match', async () => {
    const [one] = (
      await service.add('/api/shelf', [
        { name: 's', boxes: [{ label: 'x' }, { label: 'y' }] },
        { name: 't', boxes: [{ label: 'x' }] },
      ])
    ).rows
    const path = `/api/shelf/${one.id}/box?filter[label]=x`
    expect((await service.request('DELETE', path, undefined, { prefer: 'max-affected=5' })).body).toEqual({ count: 1 })
    expect((await service.snapshot()).box).toHaveLength(2)
  })

  test('with `return=minimal` is 204', async () => {
    const prefer = { prefer: 'max-affected=1, return=minimal' }
    const answer = await service.request('DELETE', '/api/item?filter[price]=1', undefined, prefer)
    expect(answer).toMatchObject({ status: 204, body: undefined })
  })

  test('with `tx=rollback` says how many would be deleted', async () => {
    const before = await service.snapshot()
    const prefer = { prefer: 'max-affected=4, tx=rollback' }
    const answer = await service.request('DELETE', '/api/item?filter[price][gt]=0', undefined, prefer)
    expect(answer).toMatchObject({ status: 200, body: { count: 4 } })
    expect(await service.snapshot()).toEqual(before)
  })
})
