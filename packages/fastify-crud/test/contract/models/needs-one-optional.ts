import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs, ownedBy, owns } from 'fastify-crud'

/** Aggregation that may be missing: a child may be without a parent, but a parent that it has cannot go. */
export const needsOneOptional = defineResources({
  parent: { fields: { name: Type.String() }, relations: { children: neededBy.many('child') } },
  child: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { parent: needs.one('parent', { optional: true }) },
  },
})

/** The same, one to one. */
export const needsOneOptionalUnique = defineResources({
  parent: { fields: { name: Type.String() }, relations: { child: neededBy.one('child') } },
  child: {
    fields: { name: Type.String() },
    relations: { parent: needs.one('parent', { optional: true, unique: true }) },
  },
})

/** Records of one owner need each other, their own kind and their owner; the owner needs one of them. */
export const garage = defineResources({
  garage: {
    fields: { name: Type.String() },
    relations: { cars: owns.many('car'), drivers: owns.many('driver'), best: needs.one('car', { optional: true }) },
  },
  car: {
    fields: { name: Type.String() },
    relations: {
      garage: ownedBy('garage'),
      driver: needs.one('driver', { optional: true, unique: true }),
      spare: needs.one('car', { optional: true }),
    },
  },
  driver: {
    fields: { name: Type.String() },
    relations: {
      garage: ownedBy('garage'),
      car: needs.one('car', { optional: true }),
      home: needs.one('garage', { optional: true }),
    },
  },
})
