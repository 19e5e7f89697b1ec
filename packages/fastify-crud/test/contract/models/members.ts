import { Type } from '@sinclair/typebox'
import { defineResources, field, knows, needs, ownedBy, owns } from 'fastify-crud'

/** Fields that not everybody may see or set, at three depths: `number` is the database's, `rank` has a default. */
export const members = defineResources({
  team: {
    fields: { name: Type.String() },
    relations: { members: owns.many('member'), captain: owns.one('captain') },
  },
  member: {
    fields: {
      name: Type.String(),
      rank: Type.String({ readOnly: true, default: 'new' }),
      number: Type.Optional(Type.Integer({ readOnly: true })),
      secret: Type.String({ writeOnly: true }),
      hint: Type.Optional(Type.String({ writeOnly: true, default: 'none' })),
      notes: Type.Optional(Type.String({ summary: false })),
    },
    relations: { team: ownedBy('team'), badges: owns.many('badge') },
  },
  badge: {
    fields: {
      title: Type.String(),
      rank: Type.String({ readOnly: true, default: 'new' }),
      secret: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: { member: ownedBy('member') },
  },
  captain: {
    fields: {
      name: Type.String(),
      // So that the types of the store know of the options, too.
      rank: field(Type.String(), { readOnly: true, default: 'new' }),
      secret: field(Type.String(), { writeOnly: true }),
    },
    relations: { team: ownedBy('team') },
  },
  fan: {
    fields: { name: Type.String() },
    relations: { favourite: needs.one('idol'), known: knows.many('idol') },
  },
  idol: {
    fields: {
      name: Type.String(),
      rank: Type.String({ readOnly: true, default: 'new' }),
      secret: Type.Optional(Type.String({ writeOnly: true })),
      notes: Type.Optional(Type.String({ summary: false })),
    },
  },
})
