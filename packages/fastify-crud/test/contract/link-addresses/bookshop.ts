import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

const text = Type.String({ maxLength: 100 })

/** Links of both kinds: at the top, below owners, to records that are owned, to records of the same resource. */
export const bookshop = defineResources({
  author: { fields: { name: text }, relations: { books: neededBy.many('book') } },
  tag: { fields: { word: text, rank: Type.Optional(Type.Integer()) }, relations: { group: knows.one('group') } },
  group: { fields: { name: text } },
  book: {
    fields: { title: text },
    relations: {
      authors: needs.many('author'),
      tags: knows.many('tag'),
      sequels: knows.many('book'),
      excerpts: knows.many('chapter'),
      chapters: owns.many('chapter'),
    },
  },
  chapter: {
    fields: { title: text },
    relations: { book: ownedBy('book'), marks: knows.many('tag'), notes: owns.many('note') },
  },
  note: { fields: { text }, relations: { chapter: ownedBy('chapter'), readers: needs.many('author') } },
})
