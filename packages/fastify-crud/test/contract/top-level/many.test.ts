import type { Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { shop } from './shop.ts'

describeOnBoth('writes of many owned records at the top', (database) => {
  const service = useApp(database, shop as Model)
  let pen: JsonBody
  let orders: JsonBody[] = []

  beforeEach(async () => {
    pen = await service.add('/api/product', { title: 'Pen' })
    const customers = [1, 2].map((number) => ({
      name: `c${number}`,
      orders: [{ number, lines: [{ code: `l${number}`, productId: pen.id }] }],
    }))
    orders = (await service.add('/api/customer', customers)).rows.flatMap((one: JsonBody) => one.orders)
  })

  test('POST creates records of several owners, which the bodies name', async () => {
    const ink = await service.add('/api/product', { title: 'Ink' })
    const bodies = orders.map(({ id }, index) => ({ orderId: id, productId: ink.id, quantity: index + 2 }))
    const { rows } = await service.add('/api/line', bodies)
    expect(rows).toMatchObject(bodies)
    await service.refuse('POST', '/api/line', [bodies[0], { ...bodies[1], orderId: 999_999 }], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/1/orderId'],
    })
    await service.refuse('POST', '/api/line', [{ productId: ink.id }], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/0/orderId'],
    })
  })

  test('PATCH changes records of several owners, and keeps their owners', async () => {
    const lines = orders.map(({ lines: [line] }) => line)
    const bodies = lines.map(({ id }: JsonBody, index: number) => ({ id, code: `l${2 - index}` }))
    const { rows } = (await service.patch('/api/line', bodies)).body
    expect(rows).toMatchObject(orders.map(({ id }, index) => ({ orderId: id, code: `l${2 - index}` })))
    await service.refuse('PATCH', '/api/line', [{ id: lines[0].id, orderId: orders[1]?.id }], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/0/orderId'],
    })
  })

  test('DELETE by a filter reaches records of all owners', async () => {
    const prefer = { prefer: 'max-affected=2' }
    const path = `/api/line?filter[productId]=${encodeURIComponent(pen.id)}`
    expect((await service.request('DELETE', path, undefined, prefer)).body).toEqual({ count: 2 })
    expect((await service.read('/api/line')).count).toBe(0)
  })

  test('PUT by a unique key that has an owner in it', async () => {
    const put = (order: JsonBody | undefined) =>
      service.put('/api/line?by=order,product', { orderId: order?.id, productId: pen.id, quantity: 9 })
    const [line] = orders[0]?.lines ?? []
    expect(await put(orders[0])).toMatchObject({ status: 200, body: { id: line.id, quantity: 9, code: null } })
    await service.request('DELETE', `/api/line/${orders[1]?.lines[0].id}`)
    expect(await put(orders[1])).toMatchObject({ status: 201, body: { orderId: orders[1]?.id, quantity: 9 } })
  })

  test('PUT by a unique key refuses the values of a record of another owner', async () => {
    const [line] = orders[0]?.lines ?? []
    const body = { orderId: orders[1]?.id, code: line.code, productId: pen.id, quantity: 9 }
    await service.refuse('PUT', '/api/line?by=code', body, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/code'] })
  })

  test('with ids of an owner and a number', async () => {
    const bodies = orders.map(({ id }) => ({ orderId: id, number: 1, weight: 5 }))
    const { rows } = await service.add('/api/parcel', bodies)
    expect(rows).toMatchObject(bodies)
    const changed = await service.patch(
      '/api/parcel',
      rows.map(({ id }: JsonBody) => ({ id, weight: 6 })),
    )
    expect(changed.body.rows).toMatchObject(bodies.map((body) => ({ ...body, weight: 6 })))
    const path = `/api/customer/${(await service.read('/api/customer')).rows[0].id}/order/${orders[0]?.id}/parcel`
    expect((await service.patch(path, [{ id: 1, weight: 7 }])).body.rows).toMatchObject([{ id: 1, weight: 7 }])
  })
})
