import { defineResources, knows, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

/** A model with every relation kind and cardinality, every kind of value, trees, circles and names of its own. */
export const library = defineResources({
  publisher: {
    fields: { name: Type.String({ minLength: 1 }) },
    relations: { books: neededBy.many('book'), imprint: neededBy.one('imprint') },
  },
  imprint: { relations: { publisher: needs.one('publisher', { unique: true }) } },
  author: { fields: { name: Type.String(), born: Type.Optional(Type.String({ format: 'date' })) } },
  editor: { relations: { books: neededBy.one('book') } },
  book: {
    table: 'books',
    columns: { title: 'book_title', publisherId: 'house' },
    fields: {
      title: Type.String(),
      isbn: Type.Optional(Type.String()),
      pages: Type.Integer(),
      price: Type.Optional(Type.Number()),
      available: Type.Boolean({ default: true }),
      data: Type.Optional(Type.Any()),
    },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      editors: needs.many('editor'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      series: knows.one('series'),
      tags: knows.many('tag', { through: 'book_tag' }),
      similar: knows.many('book'),
      sequel: knows.one('book'),
    },
    unique: [['isbn'], ['title', 'publisher'], ['publisher', 'title']],
  },
  cover: { fields: { url: Type.String() }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { name: Type.String() },
    relations: { book: ownedBy('book'), notes: owns.many('note') },
    unique: [['book', 'name']],
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter') } },
  series: { fields: { name: Type.String() }, relations: { first: knows.one('book') } },
  tag: { fields: { name: Type.String() }, relations: { books: knows.many('book', { through: 'book_tag' }) } },
  category: {
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
  person: {
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  address: { relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') } },
})
