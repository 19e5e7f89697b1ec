import { Type } from '@sinclair/typebox'
import { knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { isObject, type Json } from '../property/json.ts'
import { Reference } from '../property/reference.ts'
import type { Sight } from './filter-rows.ts'
import { readingModelOf } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'
import { pageOf } from './reference-list.ts'

const model = readingModelOf({
  author: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { books: neededBy.many('book', { inverse: 'author' }) },
  },
  tag: { fields: { label: Type.String() } },
  book: {
    fields: { title: Type.String() },
    relations: { author: needs.one('author'), tags: knows.many('tag'), chapters: owns.many('chapter') },
  },
  chapter: { fields: { n: Type.Integer(), text: Type.String() }, relations: { book: ownedBy('book') } },
})
const reference = new Reference(model.records)
const post = (segment: string, body: Json): void => {
  const address = { owners: [], segment, id: undefined }
  if (reference.send({ method: 'POST', address, query: {}, body }).status !== 201) throw new Error('not stored')
}
post('author', { name: 'A' })
post('tag', { label: 't' })
post('book', {
  title: 'x',
  authorId: 1,
  tags: [{ id: 1 }],
  chapters: [
    { n: 1, text: 'one' },
    { n: 2, text: 'two' },
  ],
})
post('book', { title: 'y', authorId: 1 })
const sight: Sight = { model, state: reference.state, folding: 'simple' }

function first(resource: string, query: ReadingQuery): Json {
  const [record = null] = pageOf(sight, { resource, owner: undefined }, query).rows
  return isObject(record) ? record : null
}

const author = { id: 1, name: 'A', note: null }
const chapters = [
  { id: 1, n: 1, text: 'one' },
  { id: 2, n: 2, text: 'two' },
]

test('without a word about it, a record carries what it owns, needs and knows', () => {
  expect(first('book', {})).toEqual({ id: 1, title: 'x', authorId: 1, author, tags: [{ id: 1, label: 't' }], chapters })
})

test('include adds relations, and their records are summaries with what is added to them', () => {
  const books = [
    { id: 2, title: 'y', tags: [] },
    { id: 1, title: 'x', tags: [{ id: 1, label: 't' }] },
  ]
  const nested = { books: { sort: ['-title'] } }
  expect(first('author', { include: ['books', 'books.tags'], nested })).toEqual({ ...author, books })
  expect(first('author', { include: ['books'], nested: { books: { filter: { title: 'y' } } } })).toEqual({
    ...author,
    books: [{ id: 2, title: 'y' }],
  })
  expect(first('author', { include: ['books'], nested: { books: { limit: 1 } } })).toEqual({
    ...author,
    books: [{ id: 1, title: 'x' }],
  })
})

test('a record without a default relation is partial', () => {
  expect(first('book', { include: ['-chapters', '-author'] })).toEqual({
    id: 1,
    title: 'x',
    authorId: 1,
    tags: [{ id: 1, label: 't' }],
    partial: true,
  })
})

test('fields leaves out all else, in nested records too', () => {
  expect(first('book', { fields: ['title', 'author.name', 'chapters.n'] })).toEqual({
    id: 1,
    title: 'x',
    author: { id: 1, name: 'A', partial: true },
    chapters: [
      { id: 1, n: 1, partial: true },
      { id: 2, n: 2, partial: true },
    ],
    partial: true,
  })
  expect(first('author', { fields: ['name', 'note'] })).toEqual(author)
  expect(first('book', { fields: ['count(chapters)'] })).toEqual({ id: 1, 'count(chapters)': 2, partial: true })
})
