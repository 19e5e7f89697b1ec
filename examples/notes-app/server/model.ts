import { defineResources, field, knows, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const Moment = Type.String({ format: 'date-time' })

/** What there is. The page imports the type of it, and nothing that runs. */
export const resources = defineResources({
  notebook: {
    fields: { name: Type.String({ minLength: 1, maxLength: 60 }) },
    relations: { notes: owns.many('note') },
    unique: [['name']],
    history: true,
  },
  note: {
    topLevel: true,
    fields: {
      title: Type.String({ minLength: 1, maxLength: 200 }),
      text: field(Type.String({ maxLength: 100_000 }), { default: '' }),
      pinned: field(Type.Boolean(), { default: false }),
      createdAt: Type.Optional(Moment),
      updatedAt: Type.Optional(Moment),
    },
    relations: { notebook: ownedBy('notebook', { moves: true }), tags: knows.many('tag') },
    search: { fields: ['title', 'text', 'tags.name'] },
  },
  tag: {
    fields: { name: Type.String({ minLength: 1, maxLength: 30 }) },
    unique: [['name']],
    history: true,
  },
})
