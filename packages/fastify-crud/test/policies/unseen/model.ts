import { Type } from '@sinclair/typebox'
import { defineActions, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { offices } from '../models/offices.ts'

const { invoice, line, note, board, ...others } = offices.descriptors

const kept = Object.fromEntries(
  Object.entries(others).map(([key, one]) => [key, 'history' in one || isOwned(one) ? one : { ...one, history: true }]),
) as typeof others

function isOwned(one: object): boolean {
  const relations: object = 'relations' in one ? (one.relations as object) : {}
  return Object.values(relations).some(({ relation }) => relation === 'ownedBy')
}

/** The offices, whose lines and notes move and have an order, whose boards have a trash, and with a history. */
export const movingOffices = defineResources({
  ...kept,
  invoice: {
    ...invoice,
    history: true,
    relations: {
      ...invoice.relations,
      tags: knows.many('tag', { order: 'rank' }),
      lines: owns.many('line', { order: 'place' }),
      notes: owns.many('note', { order: 'place' }),
    },
  },
  line: {
    ...line,
    topLevel: true,
    fields: { ...line.fields, count: Type.Optional(Type.Integer({ default: 0 })) },
    relations: { ...line.relations, invoice: ownedBy('invoice', { moves: true }) },
  },
  note: {
    ...note,
    topLevel: true,
    relations: { ...note.relations, invoice: ownedBy('invoice', { moves: true }) },
  },
  board: { ...board, history: true, softDelete: { column: 'deletedAt', trash: { purge: true } } },
})

/** Actions that only use the caller's own store: the application's sees all rows. */
export const officeActions = defineActions(movingOffices, {
  invoice: {
    gather: {
      asks: 'Edit',
      body: Type.Object({ line: Type.Integer(), count: Type.Integer() }),
      async run({ id, body, store, refuse }) {
        const { lines } = await store.invoice.find(id)
        if (lines.some((one) => one.id === body.line)) refuse('the line is there')
        await store.line.patch(body.line, { invoiceId: Number(id), count: { $add: body.count } })
      },
    },
    count: {
      on: 'list',
      asks: 'View',
      answer: Type.Array(Type.Integer()),
      run: async ({ store }) => [(await store.invoice.list()).count, (await store.note.list()).count],
    },
  },
})
