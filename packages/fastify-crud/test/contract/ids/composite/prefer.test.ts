import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../../test/support/problem.ts'
import { addShop, shop } from './models.ts'

describeOnBoth('`Prefer` where ids have several parts', (database) => {
  const service = useApp(database, shop)
  let order: JsonBody
  let path: string
  let seatPath: string

  beforeEach(async () => {
    ;({ order, path, seatPath } = await addShop(service))
  })

  test('`return=minimal`: 201 with `Location`, 204, and no body', async () => {
    for (const [method, url, body, location] of [
      ['POST', `${path}/line`, { productId: 'd', quantity: 1 }, `${path}/line/d`],
      ['POST', `${path}/line/e`, { quantity: 1 }, `${path}/line/e`],
      ['POST', '/api/seat', { hallId: 'h', row: 'x,y', number: 2 }, '/api/seat/h%2Cx~1y%2C2'],
      ['POST', '/api/seat/h,B,-3', {}, '/api/seat/h%2CB%2C-3'],
      ['PUT', `${path}/line/a`, { quantity: 7 }],
      ['PUT', `${path}/line`, { productId: 'b', quantity: 8 }],
      ['PATCH', `${path}/line/c`, { quantity: 9 }],
      ['PUT', seatPath, { guest: 'x' }],
      ['PUT', '/api/seat', { hallId: 'h', row: 'A', number: 1, guest: 'y' }],
      ['PATCH', seatPath, { guest: 'z' }],
      ['PATCH', path, { lines: [{ productId: 'a', quantity: 70 }] }],
    ] as const) {
      const answer = await service.request(method, url, body, { prefer: 'return=minimal' })
      expect([method, url, answer.status, answer.body]).toEqual([method, url, location ? 201 : 204, undefined])
      expect(answer.headers).toMatchObject({ 'preference-applied': 'return=minimal' })
      expect(answer.headers.location).toBe(location)
      if (location !== undefined) expect((await service.get(location)).status).toBe(200)
    }
    const quantities = (await service.read(path)).lines.map(({ id, quantity }: JsonBody) => [id, quantity])
    expect(quantities).toEqual([
      ['a', 70],
      ['b', 8],
      ['c', 9],
      ['d', 1],
      ['e', 1],
    ])
    expect(await service.read(seatPath)).toMatchObject({ guest: 'z' })
  })

  test('`tx=rollback`: the answer of the write, and nothing is stored', async () => {
    const [a, b, c] = order.lines
    const before = await service.snapshot()
    for (const [method, url, body, status, answered] of [
      ['POST', `${path}/line`, { productId: 'd', quantity: 1 }, 201, { id: 'd', product: { name: 'd' } }],
      ['POST', `${path}/line/e`, { quantity: 1 }, 201, { id: 'e', productId: 'e' }],
      ['POST', '/api/seat', { hallId: 'h', row: 'B', number: 2 }, 201, { id: 'h,B,2' }],
      [
        'PUT',
        path,
        { name: 'o', lines: [{ productId: 'b', quantity: 5 }] },
        200,
        { lines: [{ id: 'b', quantity: 5 }] },
      ],
      ['PATCH', path, { lines: [{ productId: 'd', quantity: 5 }] }, 200, { lines: [a, b, c, { id: 'd' }] }],
      ['PATCH', seatPath, { guest: 'x' }, 200, { id: 'h,A,1', guest: 'x' }],
      ['DELETE', `${path}/line/a`, undefined, 204, undefined],
      ['DELETE', seatPath, undefined, 204, undefined],
    ] as const) {
      const answer = await service.request(method, url, body, { prefer: 'tx=rollback' })
      expect([method, url, answer.status]).toEqual([method, url, status])
      if (answered === undefined) expect(answer.body).toBeUndefined()
      else expect(answer.body).toMatchObject(answered)
      expect(await service.snapshot()).toEqual(before)
    }
    const refused = await service.request('POST', `${path}/line/a`, { quantity: 1 }, { prefer: 'tx=rollback' })
    expectProblem(refused, { code: 'CRUD_ERR_EXISTS' })
  })

  test('`max-affected`: counts the records that are added, changed and removed', async () => {
    const [a, b] = order.lines
    for (const [count, method, url, body] of [
      [0, 'PUT', path, order],
      [0, 'PATCH', path, { lines: [{ productId: 'a', quantity: 0 }] }],
      [1, 'PATCH', `${path}/line/a`, { quantity: 5 }],
      [2, 'POST', '/api/order', { name: 'n', lines: [{ productId: 'a', quantity: 1 }] }],
      // One is changed, one stays, one is removed, two are added.
      [
        4,
        'PUT',
        path,
        {
          name: 'o',
          lines: [{ ...a, quantity: 6 }, b, { productId: 'd', quantity: 1 }, { productId: 'e', quantity: 1 }],
        },
      ],
      [1, 'POST', '/api/seat', { hallId: 'h', row: 'B', number: 2 }],
      [1, 'DELETE', seatPath, undefined],
      [1, 'DELETE', `${path}/line/a`, undefined],
      [4, 'DELETE', path, undefined],
    ] as const) {
      const send = (most: number) => service.request(method, url, body, { prefer: `max-affected=${most}` })
      if (count > 0) {
        const before = await service.snapshot()
        expectProblem(await send(count - 1), { code: 'CRUD_ERR_TOO_LARGE' })
        expect(await service.snapshot()).toEqual(before)
      }
      const done = await send(count)
      expect(done.status, `${method} ${url} ${JSON.stringify(done.body)}`).toBeLessThan(300)
    }
  })
})
