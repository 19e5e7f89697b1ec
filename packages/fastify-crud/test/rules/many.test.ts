import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { seenRows } from './support/seen-rows.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('rules and writes of many records', (database) => {
  const seen = seenRows('afterWrite')
  const shop = useShop(database, seen.rules)
  const { service } = shop
  let orders: JsonBody[] = []

  beforeEach(async () => {
    const order = (title: string) => ({
      title,
      customerId: shop.order.customerId,
      lines: [{ text: title, amount: 3, notes: [] }],
    })
    orders = (await service.add('/api/order', ['x', 'y'].map(order))).rows
  })

  test('run for each record, and for what it owns', async () => {
    expect(seen.of('order')).toMatchObject([
      { action: 'Add', before: null, after: { title: 'x' } },
      { action: 'Add', before: null, after: { title: 'y' } },
    ])
    expect(seen.of('line')).toMatchObject([{ after: { text: 'x' } }, { after: { text: 'y' } }])
  })

  test('see each record before and after', async () => {
    seen.all.length = 0
    await service.patch(
      '/api/order',
      orders.map(({ id, title }, index) => ({ id, title: `${title}${index}` })),
    )
    expect(seen.of('order')).toMatchObject([
      { action: 'Edit', before: { title: 'x' }, after: { title: 'x0' } },
      { action: 'Edit', before: { title: 'y' }, after: { title: 'y1' } },
    ])
    seen.all.length = 0
    const prefer = { prefer: 'max-affected=9' }
    const path = `/api/order?filter[id][in]=${orders[0]?.id}&filter[id][in]=${orders[1]?.id}`
    expect((await service.request('DELETE', path, undefined, prefer)).body).toEqual({ count: 2 })
    expect(seen.of('order')).toMatchObject([
      { action: 'Delete', before: { title: 'x0' }, after: null },
      { action: 'Delete', before: { title: 'y1' }, after: null },
    ])
    expect(seen.of('line')).toHaveLength(2)
  })
})

describeOnBoth('a rule that refuses one of many records', (database) => {
  const shop = useShop(database, {
    order: {
      validate({
        after,
        invalid,
        refuse,
      }: {
        after: JsonBody
        invalid: (at: string, m: string) => void
        refuse: (m: string) => void
      }) {
        if (after?.title === 'bad') invalid('title', 'is bad')
        if (after?.title === 'worse') refuse('is worse')
      },
    },
  } as never)

  test('refuses all, with the pointer to its own', async () => {
    const order = (title: string) => ({ title, customerId: shop.order.customerId, lines: [] })
    await shop.service.refuse('POST', '/api/order', ['good', 'bad'].map(order), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/1/title'],
    })
    await shop.service.refuse('POST', '/api/order', ['worse', 'good'].map(order), { code: 'CRUD_ERR_REFUSED' })
  })
})
