import { Type } from '@sinclair/typebox'
import { type Descriptors, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../property/json.ts'
import { Reference } from '../property/reference.ts'
import { type Row, rowsOf } from '../property/reference-store.ts'
import { isFound, matches, type Sight } from './filter-rows.ts'
import { readingModelOf, readingResourceOf } from './reading-model.ts'
import { sortRows } from './sort-rows.ts'

const search = { search: { fields: ['title', 'tags.label'] } }
const descriptors: Descriptors = {
  publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book', { inverse: 'publisher' }) } },
  series: { fields: { name: Type.String() } },
  tag: { fields: { label: Type.String() } },
  book: {
    fields: {
      title: Type.String(),
      price: Type.Optional(Type.String({ format: 'decimal' })),
      size: Type.Optional(Type.Object({ width: Type.Number(), note: Type.Optional(Type.String()) })),
      secret: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: {
      publisher: needs.one('publisher'),
      series: knows.one('series'),
      tags: knows.many('tag'),
      chapters: owns.many('chapter'),
    },
    ...search,
  },
  chapter: { fields: { title: Type.String(), n: Type.Integer() }, relations: { book: ownedBy('book') } },
}

function shelf(): Sight {
  const model = readingModelOf(descriptors)
  const reference = new Reference(model.records)
  const add = (segment: string, body: JsonObject): void => {
    const { status } = reference.send({
      method: 'POST',
      address: { owners: [], segment, id: undefined },
      query: {},
      body,
    })
    expect(status).toBe(201)
  }
  add('publisher', { name: 'Ink' })
  add('publisher', { name: 'Oak' })
  add('series', { name: 'One' })
  add('tag', { label: 'old' })
  add('tag', { label: 'new' })
  const chapters = (...titles: string[]): Json => titles.map((title, n) => ({ title, n }))
  const both = [{ id: 1 }, { id: 2 }]
  add('book', {
    title: 'b%',
    price: '10.0',
    publisherId: 1,
    seriesId: 1,
    chapters: chapters('x', 'y'),
    tags: [{ id: 1 }],
  })
  add('book', { title: 'B', price: '9', publisherId: 2, chapters: chapters('x'), size: { width: 2 }, tags: both })
  add('book', { title: 'a', publisherId: 2, size: { width: 1, note: 'n' } })
  return { model, state: reference.state, folding: 'simple' }
}

const sight = shelf()
const book = readingResourceOf(sight.model, 'book')
const all: readonly Row[] = [...rowsOf(sight.state, 'book').values()]

test.each<[JsonObject, number[]]>([
  [{}, [1, 2, 3]],
  [{ title: 'B' }, [2]],
  [{ title: { icontains: 'b', ne: 'B' } }, [1]],
  [{ title: { contains: '%' } }, [1]],
  [{ id: { gte: 2 } }, [2, 3]],
  [{ publisherId: 2, title: { lt: 'a' } }, [2]],
  [{ price: { gt: '9.99' } }, [1]],
  [{ price: { ne: '9.0' } }, [1, 3]],
  [{ price: { null: true } }, [3]],
  [{ price: { nin: [] } }, [1, 2, 3]],
  [{ price: { in: [] } }, []],
  [{ not: { price: { lt: '100' } } }, [3]],
  [{ 'series.name': { ne: 'Two' } }, [1, 2, 3]],
  [{ 'series.name': { null: true } }, [2, 3]],
  [{ 'size.width': { lte: 1 } }, [3]],
  [{ 'size.note': { null: true } }, [1, 2]],
  [{ 'chapters.title': 'x', 'chapters.n': 1 }, [1]],
  [{ chapters: { some: { title: 'x', n: 1 } } }, []],
  [{ 'chapters.title': { ne: 'x' } }, [1]],
  [{ chapters: { some: {} } }, [1, 2]],
  [{ chapters: { none: {} } }, [3]],
  [{ chapters: { every: { title: 'x' } } }, [2, 3]],
  [{ 'publisher.books': { some: { title: 'a' } } }, [2, 3]],
  [{ 'publisher.books.title': 'a' }, [2, 3]],
  [{ or: [{ 'publisher.name': 'Ink' }, { tags: { some: { label: 'new' } } }] }, [1, 2]],
  [{ and: [{ 'tags.label': 'old' }, { 'tags.label': 'new' }] }, [2]],
])('the filter %j matches the books %j', (filter, expected) => {
  const found = all.filter((row) => matches(sight, book, row, filter))
  expect(found.map(({ id }) => id)).toEqual(expected)
})

test.each<[JsonObject, string]>([
  [{ nope: 1 }, 'book has no nope'],
  [{ secret: 'x' }, 'book has no secret'],
  [{ 'size.depth': 1 }, 'book has no size.depth'],
  [{ title: { like: 'x' } }, 'there is no operator like'],
  [{ publisher: { some: {} } }, 'ask for a to-many relation'],
  [{ or: {} }, '{} is no array'],
  [{ or: [] }, 'nothing to choose from'],
  [{ title: {} }, 'nothing asked'],
])('the filter %j is an error', (filter, message) => {
  expect(() => all.filter((row) => matches(sight, book, row, filter))).toThrow(message)
})

test.each<[string[], number[]]>([
  [[], [1, 2, 3]],
  [['-id'], [3, 2, 1]],
  [['title'], [2, 3, 1]],
  [
    ['lower(title)', '-price'],
    [3, 2, 1],
  ],
  [['price'], [2, 1, 3]],
  [['-price'], [1, 2, 3]],
  [['-count(tags)'], [2, 1, 3]],
  [['-publisher.name'], [3, 2, 1]],
  [['series.name'], [1, 2, 3]],
  [['-series.name'], [1, 3, 2]],
])('the books in the order of %j are %j', (sort, expected) => {
  expect(sortRows(sight, book, all, sort).map(({ id }) => id)).toEqual(expected)
})

test.each(['chapters.title', 'publisher', 'size', 'nope', 'count(title)'])('the sort key %s is an error', (key) => {
  expect(() => sortRows(sight, book, all, [key])).toThrow()
})

test.each<[string, number[]]>([
  ['b', [1, 2]],
  ['B  OLD', [1, 2]],
  ['new old', [2]],
  ['zzz', []],
])('the search for "%s" finds the books %j', (text, expected) => {
  expect(all.filter((row) => isFound(sight, book, row, text)).map(({ id }) => id)).toEqual(expected)
})
