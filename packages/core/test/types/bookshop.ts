import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from '../../src/index.ts'

/** A model with every kind of relation, for the tests of what is inferred from it. */
export const bookshop = defineResources({
  publisher: {
    fields: { name: Type.String({ minLength: 1 }) },
    relations: { books: neededBy.many('book') },
  },
  author: { fields: { name: Type.String(), born: Type.Optional(Type.String({ format: 'date' })) } },
  series: { fields: { title: Type.String() } },
  tag: {},
  book: {
    table: 'books',
    fields: {
      title: Type.String({ minLength: 1 }),
      price: Type.Optional(Type.Number({ minimum: 0 })),
      binding: Type.Union([Type.Literal('soft'), Type.Literal('hard')]),
      notes: Type.Union([Type.String(), Type.Null()]),
      size: Type.Optional(Type.Object({ width: Type.Number(), height: Type.Optional(Type.Number()) })),
      edition: { ...Type.Integer({ minimum: 1 }), default: 1 },
      pages: Type.Integer({ default: 0 }),
    },
    relations: {
      publisher: needs.one('publisher'),
      translator: knows.one('author', { foreignKey: 'translatedBy' }),
      series: knows.one('series'),
      authors: needs.many('author'),
      tags: knows.many('tag'),
      cover: owns.one('cover'),
      blurb: owns.one('blurb', { required: true }),
      chapters: owns.many('chapter'),
    },
  },
  cover: { fields: { url: Type.String() }, relations: { book: ownedBy('book') } },
  blurb: { fields: { text: Type.Optional(Type.String()) }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { title: Type.String() },
    relations: {
      book: ownedBy('book', { foreignKey: 'partOf' }),
      illustrator: needs.one('author', { foreignKey: 'drawnBy', unique: true }),
      paragraphs: owns.many('paragraph'),
    },
  },
  paragraph: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter') } },
  category: {
    fields: { name: Type.String() },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
  person: {
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  address: { fields: { city: Type.String() }, relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') } },
})

export type Bookshop = typeof bookshop
