import type { Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { writesIn } from '../../../../../test/support/statement-log.ts'
import { shop } from './shop.ts'

describeOnBoth('owned records that are written at the top', (database) => {
  const service = useApp(database, shop as Model)
  let pen: JsonBody
  let ink: JsonBody
  let ada: JsonBody
  let order: JsonBody
  let other: JsonBody

  beforeEach(async () => {
    pen = await service.add('/api/product', { title: 'Pen' })
    ink = await service.add('/api/product', { title: 'Ink' })
    const lines = [{ code: 'a', productId: pen.id }]
    ada = await service.add('/api/customer', { name: 'Ada', orders: [{ number: 1, lines }, { number: 2 }] })
    ;[order, other] = ada.orders
  })

  /** The id of a record that was there. */
  async function goneId(path: string, body: unknown): Promise<JsonBody> {
    const { id } = await service.add(path, body)
    expect((await service.delete(`${path}/${id}`)).status).toBe(204)
    return id
  }

  test('are created below the owner that the body names, at any depth', async () => {
    const { status, body, headers } = await service.post('/api/line', {
      orderId: other.id,
      code: 'n',
      productId: pen.id,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(headers.location).toBe(`/api/line/${body.id}`)
    expect(body).toMatchObject({ orderId: other.id, code: 'n', quantity: 1 })
    expect(await service.read(`/api/line/${body.id}`)).toEqual(body)
    const { orders } = await service.read(`/api/customer/${ada.id}`)
    expect(orders[1].lines).toEqual([expect.objectContaining({ id: body.id, code: 'n' })])
    const created = await service.add('/api/order', {
      customerId: ada.id,
      number: 3,
      parcels: [{ number: 1, weight: 4 }],
    })
    expect(created).toMatchObject({ customerId: ada.id, parcels: [{ id: 1, weight: 4 }] })
  })

  test('are created in a tree, and where they have ids of their owner’s', async () => {
    const root = await service.add('/api/folder', { name: 'r', folders: [{ name: 'f' }] })
    const paper = await service.add('/api/paper', { folderId: root.folders[0].id, text: 'new' })
    expect((await service.read(`/api/folder/${root.id}`)).folders[0].papers).toEqual([{ id: paper.id, text: 'new' }])
    expect(await service.add('/api/parcel', { orderId: order.id, number: 1, weight: 5 })).toEqual({
      id: `${order.id},1`,
      orderId: order.id,
      number: 1,
      weight: 5,
    })
    const byId = await service.post(`/api/parcel/${order.id},2`, { weight: 6 })
    expect([byId.status, byId.headers.location]).toEqual([201, `/api/parcel/${encodeURIComponent(`${order.id},2`)}`])
    await service.refuse(
      'POST',
      '/api/parcel',
      { orderId: order.id, number: 1, weight: 5 },
      { code: 'CRUD_ERR_EXISTS' },
    )
    await service.refuse(
      'POST',
      `/api/parcel/${order.id},3`,
      { orderId: other.id, weight: 5 },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/orderId'],
      },
    )
  })

  test('need exactly one owner in a POST, which is there', async () => {
    const missing = await goneId('/api/order', { customerId: ada.id, number: 9 })
    const missingCustomer = await goneId('/api/customer', { name: 'Gone' })
    const body = { productId: pen.id, code: 'x' }
    const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/orderId'] } as const
    await service.refuse('POST', '/api/line', body, invalid)
    await service.refuse('POST', '/api/line', { ...body, orderId: null }, invalid)
    await service.refuse('POST', '/api/line', { ...body, orderId: { id: 1 } }, invalid)
    await service.refuse(
      'POST',
      '/api/line',
      { ...body, orderId: missing },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/orderId'],
      },
    )
    await service.refuse(
      'POST',
      '/api/order',
      { number: 1, customerId: missingCustomer },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/customerId'],
      },
    )
    await service.refuse('POST', '/api/address', { street: 's' }, { code: 'CRUD_ERR_INVALID', pointers: [''] })
    await service.refuse(
      'POST',
      '/api/address',
      { street: 's', customerId: ada.id, productId: pen.id },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/productId'],
      },
    )
    await service.refuse(
      'POST',
      '/api/line',
      { order: { id: order.id }, ...body },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/order', '/orderId'],
      },
    )
  })

  test('take the one place of an owner only once', async () => {
    const address = await service.add('/api/address', { street: 's', customerId: ada.id, productId: null })
    expect(address).toMatchObject({ customerId: ada.id, productId: null })
    await service.refuse('POST', '/api/address', { street: 't', customerId: ada.id }, { code: 'CRUD_ERR_EXISTS' })
    expect(await service.add('/api/address', { street: 't', productId: pen.id })).toMatchObject({ customerId: null })
  })

  test('are the same after a PUT of what a GET has shown, without a write', async () => {
    await service.add('/api/parcel', { orderId: order.id, number: 1, weight: 5 })
    await service.add('/api/address', { street: 's', customerId: ada.id })
    for (const route of ['line', 'order', 'address', 'parcel']) {
      const [shown] = (await service.read(`/api/${route}`)).rows
      for (const path of [`/api/${route}/${shown.id}`, `/api/${route}`]) {
        const statements = await service.statements(async () => {
          const { status, body } = await service.put(path, shown)
          expect([status, body]).toEqual([200, shown])
        })
        expect(writesIn(statements)).toEqual([])
      }
    }
  })

  test('are replaced and patched as below their owner', async () => {
    const [line] = (await service.read('/api/line')).rows
    const path = `/api/line/${line.id}`
    const replaced = await service.put(path, { quantity: 5, productId: ink.id })
    expect(replaced.body).toEqual({
      ...line,
      quantity: 5,
      code: null,
      productId: ink.id,
      product: { id: ink.id, title: 'Ink' },
    })
    const patched = await service.patch(path, { orderId: order.id, code: 'z' })
    expect(patched.body).toEqual({ ...replaced.body, code: 'z' })
    expect(await service.read(path)).toEqual(patched.body)
    const grown = await service.patch(`/api/order/${other.id}`, { lines: [{ code: 'y', productId: pen.id }] })
    expect(grown.body).toMatchObject({ customerId: ada.id, number: 2, lines: [{ code: 'y' }] })
  })

  test('never change their owner', async () => {
    const [line] = (await service.read('/api/line')).rows
    const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/orderId'] } as const
    const missing = await goneId('/api/order', { customerId: ada.id, number: 9 })
    for (const orderId of [other.id, null, missing]) {
      await service.refuse('PUT', `/api/line/${line.id}`, { ...line, orderId }, invalid)
      await service.refuse('PATCH', `/api/line/${line.id}`, { orderId }, invalid)
    }
    const address = await service.add('/api/address', { street: 's', customerId: ada.id })
    await service.refuse(
      'PATCH',
      `/api/address/${address.id}`,
      { productId: pen.id },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/productId'],
      },
    )
    const parcel = await service.add('/api/parcel', { orderId: order.id, number: 1, weight: 5 })
    await service.refuse(
      'PATCH',
      `/api/parcel/${parcel.id}`,
      { id: `${other.id},1` },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/id'],
      },
    )
    await service.refuse(
      'PATCH',
      `/api/parcel/${parcel.id}`,
      { id: 1 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
    )
  })

  test('keep values unique across owners, and refuse what is still needed', async () => {
    await service.refuse(
      'POST',
      '/api/line',
      { orderId: other.id, code: 'a', productId: ink.id },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/code'],
      },
    )
    await service.refuse('POST', '/api/line', { orderId: order.id, productId: pen.id }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.refuse('DELETE', `/api/product/${pen.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
  })

  test('are deleted with all that they own', async () => {
    expect((await service.delete(`/api/order/${order.id}`)).status).toBe(204)
    expect((await service.read('/api/line')).count).toBe(0)
    await service.refuse('DELETE', `/api/order/${order.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PATCH', `/api/order/${order.id}`, { number: 9 }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PUT', `/api/order/${order.id}`, { number: 9 }, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('follow If-Match and Prefer', async () => {
    const [line] = (await service.read('/api/line')).rows
    const path = `/api/line/${line.id}`
    const { etag } = (await service.get(path)).headers
    const first = await service.request('PATCH', path, { quantity: 3 }, { 'if-match': String(etag) })
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect(first.headers.etag).toBe((await service.get(path)).headers.etag)
    const stale = await service.request('DELETE', path, undefined, { 'if-match': String(etag) })
    expect(stale.status).toBe(412)
    const minimal = await service.request(
      'POST',
      '/api/line',
      { orderId: other.id, productId: pen.id },
      { prefer: 'return=minimal' },
    )
    expect([minimal.status, minimal.body]).toEqual([201, undefined])
    const undone = await service.request('PATCH', path, { quantity: 9 }, { prefer: 'tx=rollback' })
    expect(undone.body).toMatchObject({ orderId: order.id, quantity: 9 })
    expect((await service.read(path)).quantity).toBe(3)
  })

  test('say all that is wrong with a body at once', async () => {
    await service.refuse(
      'POST',
      '/api/line',
      { orderId: 'x y', quantity: 'many', productId: pen.id, colour: 'red' },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/colour', '/orderId', '/quantity'],
      },
    )
    await service.refuse(
      'PUT',
      '/api/line',
      { quantity: 1, productId: pen.id },
      { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
    )
  })
})
