import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

/** A ticket and its comments. */
export const tickets = defineResources({
  ticket: {
    fields: {
      title: Type.String(),
      state: Type.String({ default: 'draft' }),
      authorId: Type.Integer(),
      assigneeId: Type.Optional(Type.Integer()),
    },
    relations: { comments: owns.many('comment') },
  },
  comment: { fields: { text: Type.String() }, relations: { ticket: ownedBy('ticket') } },
})
