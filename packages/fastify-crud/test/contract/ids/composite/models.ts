import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import type { TestApp } from '../../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

/** Lines of an order, of which the order is a part, and seats at the top, with three parts. */
export const shop = defineResources({
  order: { id: 'integer', fields: { name: Type.String() }, relations: { lines: owns.many('line') } },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer({ minimum: 0 }), code: Type.Optional(Type.String()) },
    unique: [['order', 'code'], ['gift']],
    relations: {
      order: ownedBy('order'),
      product: needs.one('product'),
      gift: needs.one('product', { optional: true }),
    },
  },
  product: { id: 'text', fields: { name: Type.String() } },
  seat: {
    id: ['hall', 'row', 'number'],
    fields: { row: Type.String({ maxLength: 300 }), number: Type.Integer(), guest: Type.Optional(Type.String()) },
    unique: [['guest']],
    relations: { hall: needs.one('hall') },
  },
  hall: { id: 'text', fields: { name: Type.String() } },
}) as Model

export const PRODUCTS = ['a', 'b', 'c', 'd', 'e'] as const

/** Adds products, an order with three lines, a hall and a seat. */
export async function addShop(
  service: TestApp,
): Promise<{ order: JsonBody; path: string; seat: JsonBody; seatPath: string }> {
  for (const id of PRODUCTS) await service.add('/api/product', { id, name: id })
  const lines = ['a', 'b', 'c'].map((productId, index) => ({ productId, quantity: index, code: `c${index}` }))
  const order = await service.add('/api/order', { name: 'o', lines })
  await service.add('/api/hall', { id: 'h', name: 'h' })
  const seat = await service.add('/api/seat', { hallId: 'h', row: 'A', number: 1 })
  return { order, path: `/api/order/${order.id}`, seat, seatPath: '/api/seat/h,A,1' }
}
