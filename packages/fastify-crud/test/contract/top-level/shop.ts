import { Type } from '@sinclair/typebox'
import { defineResources, needs, ownedBy, owns } from 'fastify-crud'

const text = Type.String({ maxLength: 100 })

/** Owned records that also have a route at the top: one and two levels below their owners, of two owners, in a tree, and with composite ids. */
export const shop = defineResources({
  customer: { fields: { name: text }, relations: { orders: owns.many('order'), address: owns.one('address') } },
  order: {
    topLevel: true,
    fields: { number: Type.Integer({ index: true }) },
    relations: { customer: ownedBy('customer'), lines: owns.many('line'), parcels: owns.many('parcel') },
  },
  line: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { quantity: Type.Integer({ default: 1 }), code: Type.Optional(text) },
    relations: { order: ownedBy('order'), product: needs.one('product') },
    unique: [['code'], ['order', 'product']],
  },
  product: { fields: { title: text }, relations: { address: owns.one('address') } },
  address: {
    topLevel: true,
    fields: { street: text },
    relations: { customer: ownedBy('customer'), product: ownedBy('product') },
  },
  parcel: {
    topLevel: true,
    id: ['order', 'number'],
    fields: { number: Type.Integer(), weight: Type.Integer() },
    relations: { order: ownedBy('order') },
  },
  folder: {
    fields: { name: text },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      papers: owns.many('paper'),
    },
  },
  paper: { topLevel: true, fields: { text }, relations: { folder: ownedBy('folder') } },
})
