import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import type { Judged } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

interface Seen {
  readonly before: JsonBody
  readonly after: JsonBody
}

describeOnBoth('an invariant', (database) => {
  const orders: Seen[] = []
  const noteTexts: Seen[] = []
  let afterWrite: (judged: Judged) => unknown = () => {}
  const keep =
    (list: Seen[]) =>
    ({ before, after }: Seen) => {
      list.push(structuredClone({ before: before ?? null, after }))
    }
  const shop = useShop(database, {
    order: [
      { invariant: { reads: ['status', 'lines.amount'], test: keep(orders) } },
      { invariant: { reads: ['lines.notes.text'], test: keep(noteTexts) } },
      { afterWrite: (judged: Judged) => afterWrite(judged) },
    ],
  })
  const { service } = shop
  const amounts = (side: JsonBody) => side.lines.map(({ amount }: JsonBody) => amount)

  beforeEach(() => {
    orders.splice(0)
    noteTexts.splice(0)
    afterWrite = () => {}
  })

  test('sees what `reads` names, before and after', async () => {
    await service.patch(shop.path, { status: 'sent', lines: [{ text: 'c', amount: 3 }] })
    expect(orders).toMatchObject([{ before: { status: 'open' }, after: { status: 'sent' } }])
    expect([amounts(orders[0]?.before), amounts(orders[0]?.after)]).toEqual([
      [1, 2],
      [1, 2, 3],
    ])
  })

  test('sees nothing else', async () => {
    await service.patch(shop.path, { title: 'second', lines: [{ text: 'c', amount: 3 }] })
    expect(orders).toHaveLength(1)
    for (const side of [orders[0]?.before, orders[0]?.after]) {
      for (const name of ['title', 'customerId', 'couponId', 'tags', 'slip']) expect(side).not.toHaveProperty(name)
      for (const line of side.lines) {
        for (const name of ['text', 'productId', 'notes']) expect(line).not.toHaveProperty(name)
      }
    }
  })

  test('sees rows two levels below, and has no before for a new record', async () => {
    const lines = [
      { text: 'x', amount: 1, notes: [{ text: 'y' }, { text: 'z' }] },
      { text: 'w', amount: 2 },
    ]
    await service.add('/api/order', { title: 'new', customerId: shop.order.customerId, lines })
    expect(noteTexts).toMatchObject([
      { before: null, after: { lines: [{ notes: [{ text: 'y' }, { text: 'z' }] }, { notes: [] }] } },
    ])
  })

  test('runs for the record whose tree a write at depth 3 has touched, once for each write', async () => {
    await service.patch(shop.notePath, { text: 'm' })
    expect(noteTexts).toMatchObject([
      { before: { lines: [{ notes: [{ text: 'n' }] }, {}] }, after: { lines: [{ notes: [{ text: 'm' }] }, {}] } },
    ])
    await service.delete(shop.notePath)
    expect(noteTexts[1]).toMatchObject({ after: { lines: [{ notes: [] }, { notes: [] }] } })
    expect(noteTexts).toHaveLength(2)
  })

  test('runs for each record of the resource that the write has touched', async () => {
    const { customerId, couponId } = shop.order
    await shop.all().order.create({ title: 'second', status: 'late', customerId, couponId })
    expect((await service.delete(`/api/coupon/${couponId}`)).status).toBe(204)
    expect(orders.map(({ after }) => after.status).sort()).toEqual(['late', 'open'])
  })

  test('runs where a delete clears a foreign key below the record', async () => {
    expect((await service.delete(`/api/product/${shop.rows.product.id}`)).status).toBe(204)
    expect(orders).toMatchObject([{ after: { status: 'open' } }])
  })

  test('does not run for other records, nor for a write that changes nothing', async () => {
    await shop.all().order.create({ title: 'second', customerId: shop.order.customerId })
    await service.put(shop.path, await service.read(shop.path))
    await service.patch(`/api/customer/${shop.order.customerId}`, { name: 'Cy' })
    await service.add('/api/coupon', { code: 'd' })
    expect(orders).toEqual([])
    await service.patch(shop.linePath(0), { amount: 4 })
    expect(orders).toHaveLength(1)
  })

  test('sees what `afterWrite` has written', async () => {
    afterWrite = async ({ after, db }) => {
      await db.insertInto('line').values({ text: 'fee', amount: 7, orderId: after.id }).execute()
    }
    await service.patch(shop.path, { title: 'second' })
    expect(amounts(orders[0]?.after)).toEqual([1, 2, 7])
  })
})
