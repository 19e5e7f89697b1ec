import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs } from 'fastify-crud'

/** Aggregation, one to many: a child needs one parent, which may serve any number. */
export const needsOne = defineResources({
  parent: {
    fields: { name: Type.String() },
    relations: { children: neededBy.many('child') },
  },
  child: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { parent: needs.one('parent') },
  },
})

/** Aggregation, one to one: a parent serves one child at most. */
export const needsOneUnique = defineResources({
  parent: {
    fields: { name: Type.String() },
    relations: { child: neededBy.one('child') },
  },
  child: {
    fields: { name: Type.String() },
    relations: { parent: needs.one('parent', { unique: true }) },
  },
})
