import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { caller, headersOf } from '../policies/support/as-caller.ts'
import type { TestRules } from './support/rules.ts'
import { linkedIds, seenRows } from './support/seen-rows.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`validate`', (database) => {
  const seen = seenRows('validate')
  const shop = useShop(database, seen.rules)
  const { service } = shop

  test('is told of each row that a POST adds, once, without a before', async () => {
    const lines = [{ text: 'x', amount: 3, notes: [{ text: 'y' }, { text: 'z' }] }]
    const body = { title: 'new', customerId: shop.rows.customer.id, slip: { code: 't' }, lines }
    await service.add('/api/order', body)
    expect(seen.short()).toEqual(['Add line', 'Add note', 'Add note', 'Add order', 'Add slip'].sort())
    expect(seen.all.every(({ before }) => before === null)).toBe(true)
    expect(seen.of('order')[0]?.after).toMatchObject({ title: 'new', status: null, customerId: shop.rows.customer.id })
    expect(seen.of('line')[0]?.after).toMatchObject({ text: 'x', amount: 3, productId: null })
  })

  test('is told of a row that is created under an id of the client’s choice', async () => {
    await service.add('/api/customer/4711', { name: 'Cy' })
    expect(seen.short()).toEqual(['Add customer'])
    expect(seen.all[0]?.after).toMatchObject({ name: 'Cy' })
  })

  test('is told of a row that a PATCH changes, with all its fields before and after', async () => {
    await service.patch(shop.path, { title: 'second' })
    expect(seen.short()).toEqual(['Edit order'])
    const { customerId, couponId } = shop.order
    const others = { id: shop.order.id, status: 'open', customerId, couponId }
    expect(seen.all[0]?.before).toMatchObject({ ...others, title: 'first' })
    expect(seen.all[0]?.after).toMatchObject({ ...others, title: 'second' })
  })

  test('is told of a row that a PUT changes, with what the PUT leaves out', async () => {
    const { lines, slip, tags } = shop.order
    await service.put(shop.path, { title: 'first', customerId: shop.order.customerId, lines, slip, tags })
    expect(seen.short()).toEqual(['Edit order'])
    expect(seen.all[0]?.before).toMatchObject({ status: 'open', couponId: shop.rows.coupon.id })
    expect(seen.all[0]?.after).toMatchObject({ title: 'first', status: null, couponId: null })
  })

  test('is told of a row that is removed, without an after', async () => {
    const coupon = await shop.all().coupon.create({ code: 'd' })
    expect((await service.delete(`/api/coupon/${coupon.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete coupon'])
    expect(seen.all[0]).toMatchObject({ before: { id: coupon.id, code: 'd' }, after: null })
  })

  test('is not told of a write that changes nothing', async () => {
    expect((await service.put(shop.path, await service.read(shop.path))).status).toBe(200)
    expect((await service.patch(shop.path, { title: 'first', lines: [{ id: shop.order.lines[0].id }] })).status).toBe(
      200,
    )
    expect((await service.patch(shop.path, {})).status).toBe(200)
    expect(seen.all).toEqual([])
  })

  test('is not told of a write that is refused before', async () => {
    expect((await service.patch(shop.path, { customerId: 999_999 })).status).toBe(400)
    expect((await service.patch(shop.path, { titel: 'x' })).status).toBe(400)
    expect((await service.delete('/api/order/999999')).status).toBe(404)
    expect((await service.delete(`/api/customer/${shop.rows.customer.id}`)).status).toBe(409)
    expect(seen.all).toEqual([])
  })

  test('is not told of reads', async () => {
    await service.read('/api/order')
    await service.read(shop.linePath(0))
    expect(seen.all).toEqual([])
  })

  test('is told of a foreign key that changes, and of the ids of links', async () => {
    const { other, red, blue } = shop.rows
    await service.patch(shop.path, { customerId: other.id, tags: [{ id: blue.id }] })
    const [order] = seen.of('order')
    expect(order).toMatchObject({ before: { customerId: shop.order.customerId }, after: { customerId: other.id } })
    expect(linkedIds(order?.before.tags)).toEqual([red.id])
    expect(linkedIds(order?.after.tags)).toEqual([red.id, blue.id])
  })
})

describeOnBoth('`validate` of a list of rules', (database) => {
  const said: string[] = []
  const saying = (text: string) => ({
    validate({ caller }: { caller: { id: number } }) {
      said.push(`${text} to ${caller.id}`)
    },
  })
  const rules: TestRules = { customer: [saying('one'), saying('two')] }
  const shop = useShop(database, rules, { caller })

  test('runs each rule, and is told who asks', async () => {
    said.splice(0)
    await shop.service.request('POST', '/api/customer', { name: 'Cy' }, headersOf({ user: 3 }))
    expect(said.sort()).toEqual(['one to 3', 'two to 3'])
  })
})
