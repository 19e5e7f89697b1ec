import { Type } from '@sinclair/typebox'
import { defineResources, knows } from 'fastify-crud'

/** Loose association: `a` knows one `b`. */
export const knowsOne = defineResources({
  a: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { b: knows.one('b') },
  },
  b: { fields: { name: Type.String() } },
})

/** Loose association: `a` knows many `b`. */
export const knowsMany = defineResources({
  a: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { bs: knows.many('b') },
  },
  b: { fields: { name: Type.String() } },
})

/** Loose association between records of one resource, to one and to many. */
export const knowsItself = defineResources({
  person: {
    fields: { name: Type.String() },
    relations: { friend: knows.one('person'), fellows: knows.many('person') },
  },
})
