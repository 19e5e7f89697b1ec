import { Type } from '@sinclair/typebox'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, neededBy, needs, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import type { Model } from '../../core/src/model/model.ts'

/** Every kind of relation, three levels of owned records, a tree, and one resource that is owned twice. */
export const library: Model = defineResources({
  publisher: {
    description: 'Who prints books.',
    fields: { name: Type.String({ minLength: 1 }), city: Type.Optional(Type.String()) },
    relations: { books: neededBy.many('book') },
  },
  author: { fields: { name: Type.String({ examples: ['Ursula K. Le Guin'] }) } },
  series: { fields: { title: Type.String() } },
  tag: { fields: { word: Type.String({ pattern: '^[a-z]+$' }) } },
  book: {
    description: 'A book, with its chapters.',
    fields: {
      title: Type.String({ minLength: 1, description: 'As on the cover.', examples: ['The Dispossessed'] }),
      price: Type.Optional(Type.Number({ minimum: 0, description: 'In euros.' })),
      language: Type.String({ default: 'en', minLength: 2, maxLength: 2 }),
      printed: Type.Optional(Type.String({ format: 'date' })),
    },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      contract: owns.one('contract', { required: true }),
      chapters: owns.many('chapter'),
      series: knows.one('series'),
      tags: knows.many('tag'),
      sequel: knows.one('book'),
    },
  },
  cover: { fields: { url: Type.Optional(Type.String()) }, relations: { book: ownedBy('book') } },
  contract: { fields: { signed: Type.Boolean() }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { title: Type.String(), pages: Type.Optional(Type.Integer({ minimum: 1 })) },
    relations: { book: ownedBy('book'), notes: owns.many('note'), picture: owns.one('picture') },
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter') } },
  picture: {
    fields: { url: Type.String({ format: 'uri' }) },
    relations: { chapter: ownedBy('chapter'), artist: needs.one('author') },
  },
  review: { fields: { stars: Type.Integer() }, relations: { chapter: needs.one('chapter') } },
  shelf: { fields: { place: Type.String() }, relations: { favourites: knows.many('chapter') } },
  category: {
    fields: { name: Type.String() },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
  person: {
    fields: { name: Type.String() },
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  address: {
    fields: { street: Type.String() },
    relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') },
  },
})
