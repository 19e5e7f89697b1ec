import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** Composition, one to many. */
export const ownsMany = defineResources({
  parent: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { children: owns.many('child') },
  },
  child: {
    fields: {
      name: Type.String({ minLength: 1 }),
      note: Type.Optional(Type.String()),
      grade: Type.Integer({ default: 1 }),
    },
    relations: { parent: ownedBy('parent') },
  },
})
