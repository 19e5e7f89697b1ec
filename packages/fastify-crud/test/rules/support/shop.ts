import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import type { TestKysely } from '../../../../../test/support/tables.ts'

const text = Type.String()

/** Orders own lines, and lines own notes. Both ends of a tag's link show it. */
export const shop = defineResources({
  customer: { fields: { name: text } },
  coupon: { fields: { code: text } },
  product: { fields: { name: text, stock: Type.Integer() } },
  tag: {
    fields: { name: text },
    relations: { orders: knows.many('order', { through: 'order_tag', from: 'tagId', to: 'orderId' }) },
  },
  order: {
    table: 'orders',
    fields: { title: text, status: Type.Optional(text) },
    relations: {
      customer: needs.one('customer'),
      coupon: knows.one('coupon'),
      tags: knows.many('tag', { through: 'order_tag', from: 'orderId', to: 'tagId' }),
      slip: owns.one('slip'),
      lines: owns.many('line'),
    },
  },
  slip: { fields: { code: text }, relations: { order: ownedBy('order') } },
  line: {
    fields: { text, amount: Type.Integer() },
    relations: { order: ownedBy('order'), product: knows.one('product'), notes: owns.many('note') },
  },
  note: { fields: { text }, relations: { line: ownedBy('line') } },
})

export type ShopRows = Awaited<ReturnType<typeof fillShop>>

/** Fills the shop, past all rules: an order with two lines, a note on the first, a slip, a coupon and a tag. */
export async function fillShop(db: TestKysely) {
  const all = createStore({ db, resources: shop })
  const customer = await all.customer.create({ name: 'Ada' })
  const other = await all.customer.create({ name: 'Bo' })
  const coupon = await all.coupon.create({ code: 'c' })
  const product = await all.product.create({ name: 'pen', stock: 5 })
  const red = await all.tag.create({ name: 'red' })
  const blue = await all.tag.create({ name: 'blue' })
  const order = await all.order.create({
    title: 'first',
    status: 'open',
    customerId: customer.id,
    couponId: coupon.id,
    tags: [{ id: red.id }],
    slip: { code: 's' },
    lines: [
      { text: 'a', amount: 1, productId: product.id, notes: [{ text: 'n' }] },
      { text: 'b', amount: 2 },
    ],
  })
  return { customer, other, coupon, product, red, blue, order }
}
