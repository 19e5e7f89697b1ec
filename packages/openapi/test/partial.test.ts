import { expect, it } from 'vitest'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

const wrong = validatorOf(library)

it('a part of a record has its id, and any of its properties and relations', () => {
  expect(wrong('book.partial', { id: 1, partial: true })).toEqual([])
  expect(wrong('book.partial', { id: 1, title: 'T', publisher: { id: 2, name: 'Ink', partial: true } })).toEqual([])
  expect(wrong('book.partial', { id: 1, chapters: [{ id: 2, title: 'One' }], 'count(chapters)': 3 })).toEqual([])
  expect(wrong('publisher.partial', { id: 1, books: [{ id: 2, title: 'T' }] })).toEqual([])
  expect(wrong('chapter.partial', { id: 1, book: { id: 2 } })).toEqual([])
})

it('each property has the type that it has in a whole record', () => {
  expect(wrong('book.partial', {})).not.toEqual([])
  expect(wrong('book.partial', { id: 1, partial: false })).not.toEqual([])
  expect(wrong('book.partial', { id: 1, title: 5 })).not.toEqual([])
  expect(wrong('book.partial', { id: 1, chapters: null })).not.toEqual([])
  expect(wrong('book.partial', { id: 1, chapters: [{ title: 'One' }] })).not.toEqual([])
})

it('the rows of a page are whole records or parts', () => {
  const { rows } = Object(componentOf(library, 'book.page').properties)
  expect(rows.items.anyOf).toEqual(
    ['book.record', 'book.partial'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  )
})

it('a document without parts has whole records alone', () => {
  const { schemas, parameters } = openApiOf(library, { partial: false }).components
  expect(Object.keys(schemas).filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(Object.keys(parameters).filter((name) => /^(?:fields|include|nested)/.test(name))).toEqual([])
})
