import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, answerOf, expectAllRefused, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('Stock that cannot go below zero')
const deep = deepened(resources, 'order')
const refused = { status: 400, body: { code: 'CRUD_ERR_INVALID' } }

async function leftOf(service: TestApp, { id, delivered }: JsonBody): Promise<number> {
  const lines = await service.db.selectFrom('line').select('quantity').where('productId', '=', id).execute()
  return lines.reduce((left, { quantity }) => left - Number(quantity), delivered)
}

describeOnBoth('the recipe of stock', (database) => {
  const service = useApp(database, deep, { plugin: { rules } })
  let pen: JsonBody
  let pad: JsonBody
  beforeEach(async () => {
    pen = await service.add('/api/product', { name: 'pen', delivered: 5 })
    pad = await service.add('/api/product', { name: 'pad', delivered: 1 })
  })
  const line = (product: JsonBody, quantity: number) => ({ productId: product.id, quantity })

  test('is not oversold by a line that is added, changed or moved, by any way', async () => {
    const order = await addDeep(service.request, 'order', { lines: [line(pen, 3)] })
    const [first] = order.record.lines
    const linePath = `${order.path}/line/${first.id}`
    const ways = (lines: JsonBody[]) => waysToChange(service, order, { lines })
    const tooMuch = [
      [{ id: first.id, ...line(pen, 6) }],
      [{ id: first.id, ...line(pad, 3) }],
      [line(pad, 1), line(pad, 1)],
    ]
    for (const lines of tooMuch) await expectAllRefused(service, ways(lines), refused)
    // A PUT removes the line that is there, so there is room for another one.
    const adding = ways([line(pen, 3)]).filter(({ replaces }) => !replaces)
    await expectAllRefused(service, adding, refused)
    const { inStore } = order
    const inLines = () => inStore(crudOf(service)).owned(order.record.id, 'lines')
    await expectAllRefused(
      service,
      [
        { by: 'POST', go: () => service.post(`${order.path}/line`, line(pen, 3)) },
        { by: 'PATCH', go: () => service.patch(linePath, { quantity: 6 }) },
        { by: 'PUT', go: () => service.put(linePath, line(pad, 2)) },
        { by: 'the store', go: () => answerOf(inLines().create(line(pen, 3))) },
        { by: 'the store', go: () => answerOf(inLines().patch(first.id, { productId: pad.id })) },
      ],
      refused,
    )
    expect(await leftOf(service, pen)).toBe(2)
  })

  test('may be sold again in the request that gives it back', async () => {
    const order = await addDeep(service.request, 'order', { lines: [line(pen, 5), line(pad, 1)] })
    const swapped = order.record.lines.map(({ id }: JsonBody, index: number) =>
      index === 0 ? { id, ...line(pad, 1) } : { id, ...line(pen, 5) },
    )
    expect(await service.put(order.path, { lines: swapped })).toMatchObject({ status: 200 })
    expect(await service.put(order.floorPath, order.inFloor({ lines: [line(pen, 5)] }))).toMatchObject({ status: 200 })
    expect([await leftOf(service, pen), await leftOf(service, pad)]).toEqual([0, 1])
  })

  test('is given back by a delete, also one that takes the order along', async () => {
    const taken = await addDeep(service.request, 'order', { lines: [line(pen, 5)] })
    const body = { lines: [line(pen, 1)] }
    const other = await addDeep(service.request, 'order', {})
    expect((await service.patch(other.path, body)).status).toBe(400)
    await service.delete(taken.floorPath)
    expect((await service.patch(other.path, body)).status).toBe(200)
    expect(await leftOf(service, pen)).toBe(4)
  })

  test('cannot be taken back once it is sold', async () => {
    await addDeep(service.request, 'order', { lines: [line(pen, 3)] })
    const path = `/api/product/${pen.id}`
    const store = crudOf(service).resource('product')
    await expectAllRefused(
      service,
      [
        { by: 'PATCH', go: () => service.patch(path, { delivered: 2 }) },
        { by: 'PUT', go: () => service.put(path, { name: 'pen', delivered: 0 }) },
        { by: 'DELETE', go: () => service.delete(path) },
        { by: 'the store', go: () => answerOf(store.patch(pen.id, { delivered: 2 })) },
      ],
      { status: 409 },
    )
    expect((await service.patch(path, { delivered: 3 })).status).toBe(200)
  })
})

describeServersOnDatabases('the recipe of stock, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin: { rules } })
  const line = (product: JsonBody, quantity = 1) => ({ productId: product.id, quantity })

  test('sells five pieces to five of twelve, in whatever way they ask', async () => {
    const pen = await servers.one.add('/api/product', { name: 'pen', delivered: 5 })
    const { path, floorPath, inFloor, record } = await addDeep(servers.one.request, 'order', {})
    const ways: Request[] = [
      ['POST', '/api/floor', { rooms: [{ shelves: [{ items: [{ lines: [line(pen)] }] }] }] }],
      ['POST', `${path}/line`, line(pen)],
      ['PATCH', floorPath, inFloor({ id: record.id, lines: [line(pen)] })],
    ]
    const answers = await servers.atOnce(...ways, ...ways, ...ways, ...ways)
    const results = answers.map(resultOf)
    expect(results.filter((result) => result === '400 CRUD_ERR_INVALID')).toHaveLength(7)
    expect(results.filter((result) => result === '200' || result === '201')).toHaveLength(5)
    expect(await leftOf(servers.one, pen)).toBe(0)
  })

  test('lets those wait for each other who name the same products in another order', async () => {
    const pen = await servers.one.add('/api/product', { name: 'pen', delivered: 4 })
    const pad = await servers.one.add('/api/product', { name: 'pad', delivered: 100 })
    const orders = Array.from({ length: 8 }, (_, index): Request => {
      const lines = [line(pen), line(pad)]
      const items = [{ lines: index % 2 === 0 ? lines : lines.toReversed() }]
      return ['POST', '/api/floor', { rooms: [{ shelves: [{ items }] }] }]
    })
    const results = (await servers.atOnce(...orders)).map(resultOf).sort()
    expect(results).toEqual([...Array(4).fill('201'), ...Array(4).fill('400 CRUD_ERR_INVALID')])
    expect([await leftOf(servers.one, pen), await leftOf(servers.one, pad)]).toEqual([0, 96])
  })

  test('is not taken back while it is sold', async () => {
    for (let round = 0; round < 5; round++) {
      const pen = await servers.one.add('/api/product', { name: 'pen', delivered: 1 })
      const items = [{ lines: [line(pen)] }]
      const answers = await servers.atOnce(
        ['POST', '/api/floor', { rooms: [{ shelves: [{ items }] }] }],
        ['PATCH', `/api/product/${pen.id}`, { delivered: 0 }],
      )
      const results = answers.map(resultOf)
      expect([
        ['201', '409 CRUD_ERR_REFUSED'],
        ['400 CRUD_ERR_INVALID', '200'],
      ]).toContainEqual(results)
    }
  })
})
