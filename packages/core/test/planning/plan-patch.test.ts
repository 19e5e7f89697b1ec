import { expect, test } from 'vitest'
import { book, inLines, library, planOf } from './library.ts'
import { undisturbed } from './undisturbed.ts'

const patch = (body: unknown, record: typeof book | { cover: null } = book) =>
  undisturbed('patch', library, 'book', { record: { ...book, ...record } }, body)

test('PATCH {} and PATCH of a child with nothing but its id have no steps', () => {
  expect(planOf(patch({})).steps).toEqual([])
  expect(planOf(patch({ id: 1, chapters: [{ id: 11 }] })).steps).toEqual([])
})

test('elements with an id change by what they carry, those without are added, others are left alone', () => {
  const chapters = [
    { id: 11, title: 'Zwei' },
    { title: 'Four', number: 4 },
  ]
  expect(inLines(patch({ chapters }))).toEqual([
    'update chapter 11 {"title":"Zwei"}',
    'insert chapter {"new":0} {"bookId":1,"title":"Four","number":4,"code":null}',
  ])
})

test('a child that is there is changed, one that is not is created', () => {
  expect(inLines(patch({ cover: { url: 'v' } }))).toEqual(['update cover 8 {"url":"v"}'])
  expect(inLines(patch({ cover: { url: 'v' } }, { cover: null }))).toEqual([
    'insert cover {"new":0} {"bookId":1,"url":"v"}',
  ])
})

test('a child that would be created must be complete', () => {
  expect(patch({ cover: {} }, { cover: null })).toMatchObject({
    refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/cover/url', message: 'is required' }] },
  })
})

test('children: null is refused, child: null removes', () => {
  expect(patch({ chapters: null })).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID' } })
  expect(inLines(patch({ cover: null }))).toEqual(['delete cover 8'])
})

test('associations are added, [] adds nothing', () => {
  expect(inLines(patch({ authors: [{ id: 5 }, { id: 9 }], tags: [] }))).toEqual(['link book.authors 1-9'])
})

test('a change that is given for the id of another record is refused', () => {
  expect(patch({ id: 2 })).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/id' }] } })
})
