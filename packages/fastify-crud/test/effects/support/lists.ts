import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'

/** Lists own items, which own steps; notes know items, and go on without them. */
export const lists = defineResources({
  tag: { fields: { name: Type.String() } },
  list: {
    fields: { title: Type.String() },
    relations: { items: owns.many('item'), cover: owns.one('cover'), tags: knows.many('tag') },
  },
  item: {
    fields: {
      text: Type.String(),
      done: Type.Boolean({ default: false }),
      pin: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: { list: ownedBy('list'), steps: owns.many('step') },
  },
  step: { fields: { what: Type.String() }, relations: { item: ownedBy('item') } },
  cover: { fields: { color: Type.String() }, relations: { list: ownedBy('list') } },
  note: { fields: { text: Type.String() }, relations: { about: knows.one('item') } },
  memo: { softDelete: { column: 'deletedAt', trash: { purge: true } }, fields: { text: Type.String() } },
})
