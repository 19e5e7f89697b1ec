import { Type } from '@sinclair/typebox'
import { countOf, defineResources, knows, neededBy, needs, ownedBy, owns, sumOf } from 'fastify-crud'

/** Invoices that are only marked as deleted, with what they own; customers, too. The others are removed. */
export const office = defineResources({
  invoice: {
    softDelete: 'deletedAt',
    columns: { deletedAt: 'deleted_at' },
    fields: { number: Type.String(), note: Type.Optional(Type.String()) },
    relations: {
      customer: needs.one('customer'),
      agent: knows.one('agent'),
      before: knows.one('invoice'),
      tags: knows.many('tag'),
      lines: owns.many('line'),
      address: owns.one('address'),
    },
    computed: { total: sumOf('lines', 'amount'), lineCount: countOf('lines') },
    unique: [['number']],
  },
  line: {
    softDelete: 'deletedAt',
    fields: { text: Type.String(), amount: Type.Integer() },
    relations: {
      invoice: ownedBy('invoice'),
      product: needs.one('product', { optional: true }),
      like: knows.one('line'),
      notes: owns.many('note'),
    },
    unique: [['invoice', 'text']],
  },
  note: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { line: ownedBy('line') } },
  address: { softDelete: 'deletedAt', fields: { city: Type.String() }, relations: { invoice: ownedBy('invoice') } },
  customer: {
    softDelete: 'goneAt',
    fields: { name: Type.String() },
    relations: { card: needs.one('card', { unique: true, optional: true }), invoices: neededBy.many('invoice') },
    computed: { invoiceCount: countOf('invoices') },
  },
  card: { softDelete: 'deletedAt', fields: { code: Type.String() }, relations: { customer: neededBy.one('customer') } },
  product: { fields: { name: Type.String() } },
  agent: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String() } },
  payment: { fields: { sum: Type.Integer() }, relations: { invoice: needs.one('invoice') } },
  folder: {
    fields: { name: Type.String() },
    relations: { cover: knows.one('invoice'), invoices: knows.many('invoice') },
    computed: { size: countOf('invoices') },
  },
})
