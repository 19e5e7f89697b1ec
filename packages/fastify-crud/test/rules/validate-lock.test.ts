import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { stock } from './support/stock.ts'
import { useShop } from './support/use-shop.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describeOnBoth('`lock` in `validate`', (database) => {
  const shop = useShop(database, stock)
  const line = (amount: number) => ({ text: 'x', amount, productId: shop.rows.product.id })

  test('lets the rule read the rows that it has locked', async () => {
    expect((await shop.service.post(`${shop.path}/line`, line(4))).status).toBe(201)
    expect(await shop.all().product.find(shop.rows.product.id)).toMatchObject({ stock: 1 })
    const problem = await shop.service.refuse('POST', `${shop.path}/line`, line(2), { code: 'CRUD_ERR_REFUSED' })
    expect(JSON.stringify(problem)).toContain('only 1 are left')
  })

  test('lets go at the end: of a refused write, too', async () => {
    for (const amount of [6, 1, 6, 1]) await shop.service.post(`${shop.path}/line`, line(amount))
    expect((await shop.service.patch(`/api/product/${shop.rows.product.id}`, { name: 'pencil' })).body).toMatchObject({
      name: 'pencil',
      stock: 3,
    })
  })
})

describeOnBoth('`lock` of several rows', (database) => {
  const shop = useShop(database, {
    order: {
      async validate({ lock, after }) {
        const ids = [shop.rows.other.id, shop.rows.customer.id, shop.rows.other.id]
        await lock('customer', ids)
        await lock('line', [])
        await lock('order', [after.id])
      },
    },
  })

  test('takes them in any order, twice, none, and those of the request’s own tree', async () => {
    expect(await shop.service.patch(shop.path, { title: 'second' })).toMatchObject({ status: 200 })
  })
})

describe('`lock` on PostgreSQL', () => {
  const shop = useShop(postgres, stock)

  test('waits for another transaction that changes the row, and the rule then reads what that one has stored', async () => {
    const { id } = shop.rows.product
    const other = await otherWriter(shop.service.database)
    await other.run(`update product set stock = 1 where id = ${id}`)
    const ordered = shop.service.post(`${shop.path}/line`, { text: 'x', amount: 2, productId: id })
    await other.untilAwaited()
    await other.end('commit')
    const { status, body } = await ordered
    expect([status, body.code]).toEqual([409, 'CRUD_ERR_REFUSED'])
    expect(JSON.stringify(body)).toContain('only 1 are left')
    expect(await shop.all().product.find(id)).toMatchObject({ stock: 1 })
  })
})
