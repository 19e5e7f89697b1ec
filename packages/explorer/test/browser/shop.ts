import { Type } from '@sinclair/typebox'
import {
  createTables,
  defineActions,
  defineResources,
  field,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'

/** A shop whose pages the stories use: every kind of relation, order, records that move, a trash. */
export const resources = defineResources({
  customer: {
    description: 'Somebody who buys.',
    fields: {
      name: Type.String({ minLength: 1, maxLength: 100 }),
      email: Type.Optional(Type.String({ format: 'email' })),
      website: Type.Optional(Type.String({ maxLength: 200 })),
      note: Type.Optional(Type.String()),
    },
    relations: { orders: neededBy.many('order'), tags: knows.many('tag', { order: 'position' }) },
    search: { fields: ['name', 'email'] },
    unique: [['email']],
    history: true,
  },
  order: {
    softDelete: { column: 'deletedAt', trash: { purge: true } },
    groups: true,
    history: true,
    fields: {
      number: Type.String({ maxLength: 20 }),
      status: field(Type.Unsafe<'open' | 'paid'>({ type: 'string', enum: ['open', 'paid'] }), { default: 'open' }),
      placedAt: Type.Optional(Type.String({ format: 'date-time' })),
    },
    relations: { customer: needs.one('customer'), lines: owns.many('line', { order: 'position' }) },
  },
  line: {
    softDelete: 'deletedAt',
    fields: { quantity: Type.Integer({ minimum: 1, maximum: 99 }), gift: field(Type.Boolean(), { default: false }) },
    relations: { order: ownedBy('order', { moves: true }), product: needs.one('product') },
  },
  product: {
    fields: {
      name: Type.String({ minLength: 1, maxLength: 100 }),
      price: Type.String({ format: 'decimal', pattern: '^[0-9]+\\.[0-9]{2}$' }),
      size: Type.Optional(
        Type.Object({ width: Type.Integer(), height: Type.Integer() }, { additionalProperties: false }),
      ),
      madeOn: Type.Optional(Type.String({ format: 'date' })),
    },
    relations: { lines: neededBy.many('line') },
    history: true,
  },
  shelf: { fields: { name: Type.String({ maxLength: 40 }) }, relations: { slots: owns.many('slot') } },
  slot: {
    fields: { name: Type.String({ maxLength: 40 }) },
    relations: { shelf: ownedBy('shelf'), boxes: owns.many('box', { order: 'position' }) },
  },
  box: {
    fields: { label: Type.String({ maxLength: 40 }) },
    relations: { slot: ownedBy('slot', { moves: true }) },
  },
  tag: { fields: { label: Type.String({ maxLength: 40 }) } },
})

export const actions = defineActions(resources, {
  product: {
    reprice: {
      asks: 'Edit',
      body: Type.Object({ price: Type.String({ pattern: '^[0-9]+\\.[0-9]{2}$' }) }),
      async run({ id, body, store }) {
        await store.product.patch(id, body)
      },
    },
    roundUp: {
      on: 'list',
      asks: 'Edit',
      answer: Type.Object({ rounded: Type.Integer() }),
      async run({ store }) {
        const { rows } = await store.product.list({
          limit: 100,
          sort: ['id'],
          filter: { name: { startsWith: 'Clip' } },
        })
        const up = rows.filter(({ price }) => !price.endsWith('.00'))
        const bodies = up.map(({ id, price }) => ({ id, price: `${Math.ceil(Number(price))}.00` }))
        if (bodies.length > 0) await store.product.patchMany(bodies)
        return { rounded: up.length }
      },
    },
  },
})

export const makeTables = (db: Parameters<typeof createTables>[0]): Promise<void> => createTables(db, resources)
