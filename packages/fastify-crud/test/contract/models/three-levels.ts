import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'

/** An owned tree of three levels, the last of which knows and needs records outside. */
export const threeLevels = defineResources({
  a: {
    fields: { name: Type.String() },
    relations: { bs: owns.many('b'), only: owns.one('only') },
  },
  b: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { a: ownedBy('a'), cs: owns.many('c') },
  },
  c: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { b: ownedBy('b') },
  },
  only: {
    fields: { name: Type.String() },
    relations: { a: ownedBy('a'), leaves: owns.many('leaf') },
  },
  leaf: {
    fields: { name: Type.String() },
    relations: { only: ownedBy('only'), kind: needs.one('kind'), tags: knows.many('tag') },
  },
  kind: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String() } },
})
