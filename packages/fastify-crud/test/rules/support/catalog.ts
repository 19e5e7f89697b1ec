import { sumOf, visible } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import type { TestKysely } from '../../../../../test/support/tables.ts'

const text = Type.String()

/** Bills with computed fields, and payments and a shelf that show bills beside them. */
export const catalog = defineResources({
  client: {
    fields: { first: text, last: text },
    relations: { bills: neededBy.many('bill') },
    computed: {
      name: {
        schema: Type.String(),
        value: ({ eb }) => eb(eb(eb.ref('first'), '||', eb.val(' ')), '||', eb.ref('last')),
      },
    },
  },
  bill: {
    fields: { number: text, discount: Type.Integer() },
    relations: { client: needs.one('client'), lines: owns.many('item') },
    computed: {
      total: sumOf('lines', 'amount'),
      shown: sumOf(visible('lines'), 'amount'),
      label: {
        schema: Type.String(),
        value: ({ eb }) => eb(eb.val('bill '), '||', eb.ref('number')),
        summary: false,
      },
      twice: { schema: Type.Integer(), value: ({ eb }) => eb('discount', '*', 2) },
    },
  },
  item: {
    fields: { text, amount: Type.Integer() },
    relations: { bill: ownedBy('bill') },
    computed: { loud: { schema: Type.String(), value: ({ eb }) => eb.fn<string>('upper', ['text']) } },
  },
  shelf: { fields: { name: text }, relations: { bills: knows.many('bill'), best: knows.one('bill') } },
})

/** Two bills: one of 5 over two lines, one of 7 over one. */
export async function fillCatalog(db: TestKysely) {
  const all = createStore({ db, resources: catalog })
  const client = await all.client.create({ first: 'Ada', last: 'Lovelace' })
  const common = { clientId: client.id, discount: 3 }
  const five = await all.bill.create({
    ...common,
    number: 'b1',
    lines: [
      { text: 'a', amount: 2 },
      { text: 'zebra', amount: 3 },
    ],
  })
  const seven = await all.bill.create({ ...common, number: 'b2', discount: 1, lines: [{ text: 'c', amount: 7 }] })
  const shelf = await all.shelf.create({ name: 's', bills: [{ id: five.id }, { id: seven.id }], bestId: seven.id })
  return { client, five, seven, shelf }
}
