import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** A resource that owns itself. */
export const category = defineResources({
  category: {
    fields: { name: Type.String() },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
})
