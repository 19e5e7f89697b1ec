import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** What every side serves: a record with two fields that owns records with two fields. */
export const resources = defineResources({
  parent: {
    fields: { name: Type.String(), quantity: Type.Integer() },
    relations: { children: owns.many('child') },
  },
  child: {
    fields: { name: Type.String(), quantity: Type.Integer() },
    relations: { parent: ownedBy('parent') },
  },
})

/** Children of each record: record 1 has the children 1 to 5, record 2 has 6 to 10, and so on. */
export const CHILDREN = 5
