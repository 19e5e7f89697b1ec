import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

/** Records that are written by many: with unique values, owned records, links, and references to each other. */
export const shopFloor = defineResources({
  shelf: {
    fields: { name: Type.String() },
    relations: { boxes: owns.many('box'), lamp: owns.one('lamp') },
  },
  box: {
    fields: { label: Type.String(), size: Type.Integer({ default: 1 }) },
    relations: { shelf: ownedBy('shelf'), parts: owns.many('part') },
    unique: [['shelf', 'label']],
  },
  part: { fields: { name: Type.String() }, relations: { box: ownedBy('box') } },
  lamp: { fields: { watts: Type.Integer() }, relations: { shelf: ownedBy('shelf') } },
  maker: { fields: { name: Type.String() }, relations: { items: neededBy.many('item') }, unique: [['name']] },
  item: {
    fields: { code: Type.String(), title: Type.Optional(Type.String()), price: Type.Integer({ default: 0 }) },
    relations: { maker: needs.one('maker'), tags: knows.many('tag'), twin: knows.one('item') },
    unique: [['code'], ['maker', 'title']],
  },
  tag: { fields: { name: Type.String() } },
  slot: { fields: { number: Type.Integer() }, unique: [['number']] },
})
