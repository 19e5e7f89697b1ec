import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** One owner owns the same resource twice. */
export const personAddress = defineResources({
  person: {
    fields: { name: Type.String() },
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  address: {
    fields: { street: Type.String(), city: Type.Optional(Type.String()) },
    relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') },
  },
})
