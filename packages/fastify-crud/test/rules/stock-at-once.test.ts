import { createStore } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { type TestRules, withRules } from './support/rules.ts'
import { fillShop, shop } from './support/shop.ts'
import { stock } from './support/stock.ts'

const refused = '409 CRUD_ERR_REFUSED'

describeServersOnDatabases('stock under concurrent orders', (database) => {
  const servers = useServers(database, shop, withRules(stock))
  const all = () => createStore({ db: servers.one.db, resources: shop })

  test('cannot go below zero: of twelve orders for one each of five, five succeed', async () => {
    const { customer, product } = await fillShop(servers.one.db)
    const lines = [{ text: 'x', amount: 1, productId: product.id }]
    const order: Request = ['POST', '/api/order', { title: 'one', customerId: customer.id, lines }]
    const answers = await servers.atOnce(...Array.from({ length: 12 }, () => order))
    const results = answers.map(resultOf).sort()
    expect(results).toEqual([...Array(5).fill('201'), ...Array(7).fill(refused)])
    expect(await all().product.find(product.id)).toMatchObject({ stock: 0 })
    const orders = await all().order.list({ limit: 100 })
    expect(orders.rows.filter(({ title }) => title === 'one')).toHaveLength(5)
  })

  test('holds in whatever way lines are added', async () => {
    const { customer, product, order } = await fillShop(servers.one.db)
    const line = { text: 'x', amount: 1, productId: product.id }
    const path = `/api/order/${order.id}`
    const ways: Request[] = [
      ['POST', '/api/order', { title: 'one', customerId: customer.id, lines: [line] }],
      ['POST', `${path}/line`, line],
      ['PATCH', path, { lines: [line] }],
    ]
    const answers = await servers.atOnce(...ways, ...ways, ...ways)
    const results = answers.map(resultOf)
    expect(results.filter((result) => result === refused)).toHaveLength(4)
    expect(results.filter((result) => result === '200' || result === '201')).toHaveLength(5)
    expect(await all().product.find(product.id)).toMatchObject({ stock: 0 })
  })
})

/** The status of an order names products, which the order locks in one call. */
const several: TestRules = {
  order: {
    async validate({ after, lock }) {
      await lock('product', idsIn(after))
    },
    async afterWrite({ after, db }) {
      for (const id of idsIn(after)) {
        const less = db.updateTable('product').set(({ eb }) => ({ stock: eb('stock', '-', 1) }))
        await less.where('id', '=', id).execute()
      }
    },
  },
}

function idsIn({ status }: JsonBody): number[] {
  return status.split(',').map(Number)
}

describeServersOnDatabases('`lock` of several rows under concurrent orders', (database) => {
  const servers = useServers(database, shop, withRules(several))

  test('takes them in one order, though each request names them in its own', async () => {
    const all = createStore({ db: servers.one.db, resources: shop })
    const { customer, product } = await fillShop(servers.one.db)
    const pad = await all.product.create({ name: 'pad', stock: 5 })
    const ids = [product.id, pad.id]
    const orders = Array.from({ length: 8 }, (_, index): Request => {
      const status = (index % 2 === 0 ? ids : ids.toReversed()).join()
      return ['POST', '/api/order', { title: 'both', status, customerId: customer.id }]
    })
    expect((await servers.atOnce(...orders)).map(resultOf)).toEqual(Array(8).fill('201'))
    for (const id of ids) expect(await all.product.find(id)).toMatchObject({ stock: -3 })
  })
})
