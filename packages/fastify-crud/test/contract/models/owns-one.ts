import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** Composition, one to one. `child` has only optional fields, `badge` a required one, `passport` may not be missing. */
export const ownsOne = defineResources({
  parent: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { child: owns.one('child'), badge: owns.one('badge') },
  },
  child: {
    fields: { nick: Type.Optional(Type.String()), age: Type.Optional(Type.Integer()) },
    relations: { parent: ownedBy('parent') },
  },
  badge: {
    fields: { label: Type.String({ minLength: 1 }), color: Type.Optional(Type.String()) },
    relations: { parent: ownedBy('parent') },
  },
})

/** Composition, one to one, where the owner cannot be without it. */
export const ownsOneRequired = defineResources({
  parent: {
    fields: { name: Type.String() },
    relations: { child: owns.one('child', { required: true }) },
  },
  child: {
    fields: { nick: Type.String(), age: Type.Optional(Type.Integer()) },
    relations: { parent: ownedBy('parent') },
  },
})
