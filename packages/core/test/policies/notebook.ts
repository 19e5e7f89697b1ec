import { defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const text = Type.String()

export const notebook = defineResources({
  note: {
    fields: { text, authorId: Type.Integer() },
    relations: { marks: owns.many('mark'), topic: knows.one('topic') },
    unique: [['text']],
  },
  mark: { fields: { text }, relations: { note: ownedBy('note') } },
  topic: { fields: { text, authorId: Type.Integer() } },
})
