import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { linkedIds, type SeenRow, seenRows } from './support/seen-rows.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`validate` is told of a link', (database) => {
  const seen = seenRows('validate')
  const shop = useShop(database, seen.rules)
  const { service } = shop
  const change = (row: SeenRow | undefined, name: string) => [linkedIds(row?.before[name]), linkedIds(row?.after[name])]

  test('from both ends, if one end adds it', async () => {
    const { red, blue } = shop.rows
    await service.patch(shop.path, { tags: [{ id: blue.id }] })
    expect(seen.short()).toEqual(['Edit order', 'Edit tag'])
    expect(change(seen.of('order')[0], 'tags')).toEqual([[red.id], [red.id, blue.id]])
    expect(seen.of('tag')[0]?.after).toMatchObject({ id: blue.id, name: 'blue' })
    expect(change(seen.of('tag')[0], 'orders')).toEqual([[], [shop.order.id]])
  })

  test('from both ends, if the other end removes it', async () => {
    const { red } = shop.rows
    await service.put(`/api/tag/${red.id}`, { name: 'red', orders: [] })
    expect(seen.short()).toEqual(['Edit order', 'Edit tag'])
    expect(seen.of('order')[0]?.after).toMatchObject({ id: shop.order.id, title: 'first' })
    expect(change(seen.of('order')[0], 'tags')).toEqual([[red.id], []])
    expect(change(seen.of('tag')[0], 'orders')).toEqual([[shop.order.id], []])
  })

  test('from the end that stays, if the other record is deleted', async () => {
    const { red } = shop.rows
    expect((await service.delete(`/api/tag/${red.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete tag', 'Edit order'])
    expect(change(seen.of('order')[0], 'tags')).toEqual([[red.id], []])
  })

  test('from the other end, if a new record comes with it', async () => {
    const { customer, blue } = shop.rows
    await service.add('/api/order', { title: 'new', customerId: customer.id, tags: [{ id: blue.id }] })
    expect(seen.short()).toEqual(['Add order', 'Edit tag'])
    expect(linkedIds(seen.of('order')[0]?.after.tags)).toEqual([blue.id])
  })
})

describeOnBoth('`validate` is told of a foreign key that a delete clears', (database) => {
  const seen = seenRows('validate')
  const shop = useShop(database, seen.rules)
  const { service } = shop

  test('in a record of its own', async () => {
    const { coupon } = shop.rows
    expect((await service.delete(`/api/coupon/${coupon.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete coupon', 'Edit order'])
    expect(seen.of('order')[0]).toMatchObject({ before: { couponId: coupon.id }, after: { couponId: null } })
  })

  test('in an owned record, and of the owners above it', async () => {
    const { product } = shop.rows
    expect((await service.delete(`/api/product/${product.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete product', 'Edit line', 'Edit order above'])
    expect(seen.of('line')[0]).toMatchObject({ before: { productId: product.id }, after: { productId: null } })
    expect(seen.of('order')[0]?.changedBelow).toEqual(['lines'])
  })

  test('in each of several records, once', async () => {
    const { coupon, customer } = shop.rows
    await shop.all().order.create({ title: 'second', customerId: customer.id, couponId: coupon.id })
    expect((await service.delete(`/api/coupon/${coupon.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete coupon', 'Edit order', 'Edit order'])
    expect(seen.of('order').map(({ before }) => before.title)).toEqual(expect.arrayContaining(['first', 'second']))
  })

  test('and not of records that only name another one', async () => {
    const { customer } = shop.rows
    const unused = await shop.all().coupon.create({ code: 'unused' })
    await shop.all().order.create({ title: 'second', customerId: customer.id })
    expect((await service.delete(`/api/coupon/${unused.id}`)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete coupon'])
  })
})
