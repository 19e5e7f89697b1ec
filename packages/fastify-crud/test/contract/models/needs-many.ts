import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs } from 'fastify-crud'

/** Aggregation, many to one: a child needs some parents, each of which may serve any number. */
export const needsMany = defineResources({
  parent: {
    fields: { name: Type.String() },
    relations: { children: neededBy.many('child') },
  },
  child: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { parents: needs.many('parent') },
  },
})

/** Aggregation, many to one, where a parent serves one child at most. */
export const needsManyExclusive = defineResources({
  parent: {
    fields: { name: Type.String() },
    relations: { child: neededBy.one('child') },
  },
  child: {
    fields: { name: Type.String() },
    relations: { parents: needs.many('parent') },
  },
})
