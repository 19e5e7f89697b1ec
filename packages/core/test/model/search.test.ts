import { countOf, defineResources, ModelError, needs, ownedBy, owns } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const text = Type.String()

function library(search: unknown) {
  return defineResources({
    publisher: { fields: { name: text } },
    book: {
      fields: {
        title: text,
        state: Type.Union([Type.Literal('draft'), Type.Literal('out')]),
        link: Type.Optional(Type.String({ format: 'uri' })),
        pages: Type.Integer(),
        price: Type.String({ format: 'decimal' }),
        soldAt: Type.String({ format: 'date-time' }),
        day: Type.String({ format: 'date' }),
        labels: Type.Array(text),
        size: Type.Object({ unit: text }),
        pin: Type.Optional(Type.String({ writeOnly: true })),
      },
      relations: { publisher: needs.one('publisher'), parts: owns.many('part') },
      computed: {
        shout: { schema: text, value: () => undefined },
        count: countOf('parts'),
      },
      ...{ search },
    },
    part: { fields: { title: text }, relations: { book: ownedBy('book') } },
  } as never)
}

test('A search has the paths of its fields, to texts of the record and of related ones', () => {
  const fields = ['title', 'state', 'link', 'shout', 'publisher.name', 'parts.title', 'parts.book.publisher.name']
  const model = library({ fields })
  const { search } = resourceOf(model, 'book')
  const paths = search?.fields.map(({ relations, value }) => [...relations, value].map(({ name }) => name).join('.'))
  expect(paths).toEqual(fields)
  expect(Object.isFrozen(search)).toBe(true)
  expect(resourceOf(model, 'part').search).toBeUndefined()
})

function problemsOf(search: unknown): readonly string[] {
  try {
    library(search)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

test.each([null, true, [], ['title'], {}, { fields: [] }, { fields: 'title' }, { fields: [1] }])(
  'A search that is %j is refused',
  (search) => {
    const message = "must be an object with paths to texts: { fields: ['title', 'authors.name'] }"
    expect(problemsOf(search)).toEqual([`book.search: ${message}`])
  },
)

test('A search with an index has one for each field of the record itself', () => {
  const { search } = resourceOf(library({ fields: ['title', 'publisher.name', 'shout', 'link'], index: true }), 'book')
  expect(search?.indexed.map(({ name }) => name)).toEqual(['title', 'link'])
  expect(resourceOf(library({ fields: ['title'] }), 'book').search?.indexed).toEqual([])
})

test('An index that is something else, or over no field of the record, is refused', () => {
  expect(problemsOf({ fields: ['title'], index: false })).toEqual(['book.search.index: must be true, or be left out'])
  const message = 'book.search.index: needs a field of the record itself'
  expect(problemsOf({ fields: ['publisher.name', 'shout'], index: true })).toEqual([message])
  const view = { id: false, fields: { title: text }, search: { fields: ['title'], index: true } } as const
  expect(() => defineResources({ view })).toThrow('view.search.index: is made with the table, which others make here')
})

test('An unknown entry of a search is refused', () => {
  expect(problemsOf({ fields: ['title'], field: ['x'] })).toEqual([
    "book.search.field: a search has no 'field'; did you mean 'fields'?",
  ])
})

test.each([
  ['titel', "a book has no 'titel'; did you mean 'title'?"],
  ['', "a book has no ''"],
  ['title.', "'title' is not a relation"],
  ['publisher.nam', "a publisher has no 'nam'; did you mean 'name'?"],
  ['publishers.name', "a book has no 'publishers'; did you mean 'publisher'?"],
  ['publisherId.name', "'publisherId' is not a relation"],
  ['publisher', "'publisher' names records, not a text in them"],
  ['parts', "'parts' names records, not a text in them"],
  [
    'parts.book.parts.book.parts.book.title',
    "'parts.book.parts.book.parts.book.title' leads through more than 5 relations",
  ],
  ['pin', "'pin' is writeOnly: no answer contains it"],
  ['parts.book.pin', "'parts.book.pin' is writeOnly: no answer contains it"],
  ['size.unit', "'size' is not a relation"],
  ...['id', 'publisherId', 'pages', 'price', 'soldAt', 'day', 'labels', 'size', 'count', 'parts.bookId'].map((path) => [
    path,
    `'${path}' is not a text`,
  ]),
])("A search of '%s' is refused at its place", (path, message) => {
  expect(problemsOf({ fields: ['title', path] })).toEqual([`book.search.fields[1]: ${message}`])
})

test('A field that a search names twice is refused', () => {
  expect(problemsOf({ fields: ['title', 'title'] })).toEqual(["book.search.fields[1]: 'title' occurs twice"])
})
