import { Type } from '@sinclair/typebox'
import { field, knows, neededBy, needs, ownedBy, owns, type ResourceDescriptor, sumOf } from 'fastify-crud'
import { money, oneOf, shortText } from '../fields.ts'

export const customer = {
  description: 'Somebody who buys books.',
  fields: {
    name: shortText({ examples: ['Nadia Brook'] }),
    email: Type.String({ format: 'email', examples: ['nadia@post.example'] }),
    newsletter: field(Type.Boolean(), { default: false }),
    preferences: Type.Optional(
      Type.Object(
        {
          giftWrap: Type.Optional(Type.Boolean()),
          contact: Type.Optional(Type.Array(oneOf(['email', 'phone', 'post']))),
        },
        { additionalProperties: false, examples: [{ giftWrap: true, contact: ['email'] }] },
      ),
    ),
  },
  relations: {
    wishes: knows.many('book', { through: 'wish_list', from: 'customerId', to: 'bookId' }),
    orders: neededBy.many('order'),
  },
  unique: [['email']],
  history: true,
} satisfies ResourceDescriptor

/** Lives in tables whose names were there before: a name in `columns` is all that it takes. */
export const order = {
  table: 'shop_orders',
  columns: {
    id: 'order_no',
    placedAt: 'placed_at',
    giftNote: 'gift_note',
    customerId: 'customer_id',
    createdAt: 'created_at',
    createdBy: 'created_by',
    updatedAt: 'updated_at',
    updatedBy: 'updated_by',
  },
  description: 'What a customer bought at one time.',
  fields: {
    placedAt: Type.String({ format: 'date-time', examples: ['2026-03-14T09:26:53Z'] }),
    status: field(oneOf(['open', 'paid', 'sent', 'returned']), { default: 'open' }),
    giftNote: Type.Optional(Type.String({ maxLength: 500 })),
    createdAt: Type.String({ format: 'date-time', description: 'When it was entered. The rules of the shop set it.' }),
    createdBy: Type.Optional(shortText({ description: 'Who entered it.' })),
    updatedAt: Type.String({ format: 'date-time', description: 'When it last changed.' }),
    updatedBy: Type.Optional(shortText({ description: 'Who changed it last.' })),
  },
  relations: {
    customer: needs.one('customer'),
    lines: owns.many('line'),
  },
  computed: {
    total: sumOf('lines', 'amount'),
  },
  groups: true,
  history: true,
} satisfies ResourceDescriptor

/** Owned by an order, and needs a record outside of it. */
export const line = {
  table: 'shop_order_lines',
  columns: { orderId: 'order_no', bookId: 'book_no', unitPrice: 'unit_price' },
  description: 'A book of an order, and how many of it.',
  fields: {
    quantity: Type.Integer({ minimum: 1, maximum: 999, examples: [2] }),
    unitPrice: money({ description: 'What it cost on that day.' }),
    amount: money({ description: 'Quantity times price. The rules of the shop set it.' }),
  },
  relations: {
    order: ownedBy('order'),
    book: needs.one('book'),
  },
  unique: [['order', 'book']],
} satisfies ResourceDescriptor
