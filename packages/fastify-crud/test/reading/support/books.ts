import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

const text = Type.String()
const optionalText = Type.Optional(text)

/** Every relation kind from both sides, a tree, and a field of every type that a filter may name. */
export const books = defineResources({
  publisher: { fields: { name: text, city: optionalText }, relations: { books: neededBy.many('book') } },
  author: { fields: { name: text }, relations: { books: neededBy.many('book') } },
  series: { fields: { name: text } },
  tag: { fields: { name: text } },
  book: {
    groups: true,
    fields: {
      title: text,
      price: Type.Optional(Type.Number()),
      pages: Type.Optional(Type.Integer()),
      cost: Type.Optional(Type.String({ format: 'decimal' })),
      soldAt: Type.Optional(Type.String({ format: 'date-time' })),
      publishedOn: Type.Optional(Type.String({ format: 'date' })),
      state: Type.Optional(Type.Union([Type.Literal('draft'), Type.Literal('out'), Type.Literal('lost')])),
      isNew: Type.Optional(Type.Boolean()),
      size: Type.Optional(
        Type.Object({
          width: Type.Optional(Type.Number()),
          unit: optionalText,
          paper: Type.Optional(Type.Object({ color: text, isThick: Type.Boolean() })),
          edges: Type.Optional(Type.Array(Type.Number())),
        }),
      ),
      extra: Type.Optional(Type.Any()),
      comment: optionalText,
    },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      series: knows.one('series'),
      prequel: knows.one('book'),
      tags: knows.many('tag'),
    },
    search: {
      fields: ['title', 'comment', 'state', 'authors.name', 'publisher.city', 'tags.name', 'prequel.title'],
      index: true,
    },
  },
  cover: { fields: { url: text, color: optionalText }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { title: text, place: Type.Integer() },
    relations: { book: ownedBy('book'), translator: knows.one('author'), remarks: owns.many('remark') },
    search: { fields: ['title', 'remarks.text', 'book.tags.name'], index: true },
  },
  remark: { fields: { text }, relations: { chapter: ownedBy('chapter') } },
  quote: {
    fields: { text },
    relations: { chapter: knows.one('chapter') },
    search: { fields: ['chapter.book.publisher.books.title'] },
  },
  category: {
    fields: { name: text },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
    search: { fields: ['categories.name'] },
  },
  word: { fields: { text: optionalText }, search: { fields: ['text'] } },
})
