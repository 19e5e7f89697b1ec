import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

/** A small model with every kind of value. */
export const library = defineResources({
  book: {
    table: 'books',
    columns: { title: 'book_title' },
    fields: {
      title: Type.String(),
      pages: Type.Integer(),
      price: Type.Optional(Type.Number()),
      inPrint: Type.Boolean({ default: true }),
      publishedOn: Type.Optional(Type.String({ format: 'date' })),
      data: Type.Optional(Type.Object({ languages: Type.Array(Type.String()) })),
    },
    relations: { authors: needs.many('author'), sequel: knows.one('book'), chapters: owns.many('chapter') },
  },
  author: { fields: { name: Type.String() } },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
})
