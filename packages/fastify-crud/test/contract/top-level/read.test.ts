import type { Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { shop } from './shop.ts'

describeOnBoth('owned records at the top', (database) => {
  const service = useApp(database, shop as Model)
  let pen: JsonBody
  let ada: JsonBody
  let ben: JsonBody

  beforeEach(async () => {
    pen = await service.add('/api/product', { title: 'Pen', address: { street: 'Mill' } })
    const ink = await service.add('/api/product', { title: 'Ink' })
    const lines = (code: string) => [
      { quantity: 1, code: `${code}1`, productId: pen.id },
      { quantity: 2, code: `${code}2`, productId: ink.id },
    ]
    const parcels = [1, 2].map((number) => ({ number, weight: number * 10 }))
    const address = { street: 'Road' }
    ada = await service.add('/api/customer', {
      name: 'Ada',
      address,
      orders: [{ number: 7, lines: lines('a'), parcels }],
    })
    ben = await service.add('/api/customer', { name: 'Ben', orders: [{ number: 5, lines: lines('b'), parcels }] })
  })

  /** A record as the path at the top shows it. */
  function atTop({ id, ...rest }: JsonBody, keys: object, wholeId = id): JsonBody {
    return { id: wholeId, ...keys, ...rest }
  }

  test('are listed across all owners, with the foreign keys of these', async () => {
    const [ofAda, ofBen] = [ada.orders[0], ben.orders[0]]
    const lines = [ofAda, ofBen].flatMap((order) =>
      order.lines.map((line: JsonBody) => atTop(line, { orderId: order.id })),
    )
    expect(await service.read('/api/line')).toEqual({ rows: lines, count: 4 })
    const orders = await service.read('/api/order?fields=number')
    expect(orders.rows.map(({ id, customerId }: JsonBody) => [id, customerId])).toEqual([
      [ofAda.id, ada.id],
      [ofBen.id, ben.id],
    ])
  })

  test('show the parts of nested records as they are below the owner', async () => {
    const order = await service.read(`/api/order/${ada.orders[0].id}`)
    expect(order).toEqual(atTop(ada.orders[0], { customerId: ada.id }))
    const { customerId, ...below } = order
    expect(below).toEqual(await service.read(`/api/customer/${ada.id}/order/${order.id}`))
    expect(customerId).toBe(ada.id)
  })

  test('have null for the owners that they do not have', async () => {
    expect(await service.read('/api/address?sort=street')).toEqual({
      rows: [
        { ...pen.address, customerId: null, productId: pen.id },
        { ...ada.address, customerId: ada.id, productId: null },
      ],
      count: 2,
    })
  })

  test('have whole ids', async () => {
    const order = ada.orders[0]
    const { rows } = await service.read('/api/parcel')
    expect(rows).toHaveLength(4)
    expect(rows.map(({ id }: JsonBody) => id)).toContain(`${order.id},2`)
    const parcel = await service.read(`/api/parcel/${order.id},2`)
    expect(parcel).toEqual({ id: `${order.id},2`, orderId: order.id, number: 2, weight: 20 })
    await service.refuse('GET', '/api/parcel/2', undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('GET', `/api/parcel/${order.id},3`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('are filtered and sorted by the foreign keys of owners, and by what these have', async () => {
    const [ofAda, ofBen] = [ada.orders[0].id, ben.orders[0].id]
    const codesOf = async (query: string) =>
      (await service.read(`/api/line?${query}`)).rows.map(({ code }: JsonBody) => code)
    expect(await codesOf(`filter[orderId]=${ofBen}`)).toEqual(['b1', 'b2'])
    expect(await codesOf(`filter[orderId][in]=${ofBen}&filter[orderId][in]=${ofAda}&sort=code`)).toHaveLength(4)
    expect(await codesOf('sort=-orderId,code')).toEqual(
      ofBen > ofAda ? ['b1', 'b2', 'a1', 'a2'] : ['a1', 'a2', 'b1', 'b2'],
    )
    expect(await codesOf('filter[order.customer.name]=Ada&sort=-code')).toEqual(['a2', 'a1'])
    expect(await codesOf('sort=order.number,-code')).toEqual(['b2', 'b1', 'a2', 'a1'])
    const [line] = (await service.read('/api/line?include=order&limit=1')).rows
    expect(line.order).toEqual({ id: ofAda, number: 7 })
    await service.refuse('GET', '/api/line?filter[folderId]=1', undefined, { code: 'CRUD_ERR_INVALID' })
  })

  test('are paged by cursors, whose links stay on the path that was asked', async () => {
    const all = (await service.read('/api/line?sort=-code')).rows
    const pages: JsonBody[] = []
    let path: string | undefined = '/api/line?sort=-code&limit=3'
    while (path !== undefined) {
      const { body, headers } = await service.get(path)
      pages.push(...body.rows)
      const link = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
      expect(link?.startsWith('/api/line?')).toBe(body.next === undefined ? undefined : true)
      path = link
    }
    expect(pages).toEqual(all)
    const { next } = await service.read('/api/line?limit=1')
    const order = ada.orders[0].id
    await service.refuse('GET', `/api/customer/${ada.id}/order/${order}/line?limit=1&after=${next}`, undefined, {
      code: 'CRUD_ERR_INVALID',
    })
  })

  test('show the foreign keys in whatever `fields` choose, and elsewhere if `fields` names them', async () => {
    const order = ada.orders[0]
    const [line] = order.lines
    const { rows } = await service.read('/api/line?fields=code&limit=1')
    expect(rows).toEqual([{ id: line.id, orderId: order.id, code: 'a1', partial: true }])
    expect(await service.read(`/api/line/${line.id}?fields=orderId`)).toEqual({
      id: line.id,
      orderId: order.id,
      partial: true,
    })
    const { orders } = await service.read(`/api/customer/${ada.id}?fields=orders.lines.orderId`)
    expect(orders[0].lines[0]).toEqual({ id: line.id, orderId: order.id, partial: true })
  })

  test('keep the routes below their owners, and have no routes for what they own', async () => {
    const order = ada.orders[0]
    const below = await service.read(`/api/customer/${ada.id}/order/${order.id}/line`)
    expect(below.rows).toEqual(order.lines)
    expect((await service.get(`/api/order/${order.id}/line`)).status).toBe(404)
  })

  test('have ETags that hold on their own path only', async () => {
    const path = `/api/customer/${ada.id}/order/${ada.orders[0].id}`
    const [below, top] = [await service.get(path), await service.get(`/api/order/${ada.orders[0].id}`)]
    expect(top.headers.etag).not.toBe(below.headers.etag)
    const asked = { 'if-none-match': String(top.headers.etag) }
    expect((await service.request('GET', `/api/order/${ada.orders[0].id}`, undefined, asked)).status).toBe(304)
    expect((await service.request('GET', path, undefined, asked)).status).toBe(200)
    const written = await service.request('PATCH', path, { number: 8 }, { 'if-match': String(top.headers.etag) })
    expect(written.status).toBe(412)
  })

  test('are found whatever tree their owner is in', async () => {
    const root = await service.add('/api/folder', { name: 'r', folders: [{ name: 'f', papers: [{ text: 'deep' }] }] })
    const [folder] = root.folders
    const [paper] = folder.papers
    expect(await service.read('/api/paper')).toEqual({ rows: [{ ...paper, folderId: folder.id }], count: 1 })
    expect(await service.read(`/api/paper/${paper.id}`)).toEqual({ ...paper, folderId: folder.id })
  })
})
