import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { book, inLines, library, planOf } from './library.ts'
import { undisturbed } from './undisturbed.ts'

const replace = (body: unknown) => undisturbed('replace', library, 'book', { record: book }, body)
const [one, two, three] = book.chapters

test('PUT of what GET returned has no steps', () => {
  expect(planOf(replace(book)).steps).toEqual([])
})

test('the order of keys and of elements is no change', () => {
  const body = Object.fromEntries(Object.entries({ ...book, chapters: [three, one, two] }).reverse())
  expect(planOf(replace(body)).steps).toEqual([])
})

test('children are found in whatever order the body lists them, those left out are removed', () => {
  const code = { code: null, notes: [] }
  const many = Array.from({ length: 40 }, (_, i) => ({ id: i + 1, title: 't', number: i, ...code }))
  const listed = many.filter(({ id }) => id !== 7 && id !== 40)
  const record = { ...book, chapters: many, favouriteId: 1 }
  for (const chapters of [listed, listed.toReversed(), listed.toSorted((a, b) => (a.id % 5) - (b.id % 5))]) {
    const outcome = undisturbed('replace', library, 'book', { record }, { ...book, favouriteId: 1, chapters })
    expect(inLines(outcome)).toEqual(['clear book.favourite 7,40', 'delete chapter 7,40'])
  }
})

test('only what differs is updated', () => {
  expect(inLines(replace({ ...book, pages: 7, chapters: [one, { ...two, title: 'Zwei' }, three] }))).toEqual([
    'update book 1 {"pages":7}',
    'update chapter 11 {"title":"Zwei"}',
  ])
})

test('rows that swap their unique values are parked first, in one step', () => {
  const chapters = [{ ...one, number: 2 }, { ...two, number: 1 }, three]
  expect(inLines(replace({ ...book, chapters }))).toMatchInlineSnapshot(`
    [
      "park chapter 10 {"number":-2146249081}; 11 {"number":-2146249080}",
      "update chapter 10 {"number":2}; 11 {"number":1}",
    ]
  `)
})

test('rows that rotate a unique value which can be null are parked at null', () => {
  const chapters = [
    { ...one, code: 'b' },
    { ...two, code: 'c' },
    { ...three, code: 'a' },
  ]
  expect(inLines(replace({ ...book, chapters }))).toMatchInlineSnapshot(`
    [
      "park chapter 10 {"code":null}; 11 {"code":null}; 12 {"code":null}",
      "update chapter 10 {"code":"b"}; 11 {"code":"c"}; 12 {"code":"a"}",
    ]
  `)
})

test('however many rows rotate, there are two steps', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({ id: i + 1, title: 't', number: i, code: null, notes: [] }))
  const rotated = many.map((chapter, i) => ({ ...chapter, number: (i + 1) % many.length }))
  const outcome = undisturbed(
    'replace',
    library,
    'book',
    { record: { ...book, chapters: many, favouriteId: 1 } },
    { ...book, favouriteId: 1, chapters: rotated },
  )
  expect(planOf(outcome).steps.map((step) => step.step)).toEqual(['park', 'update'])
})

test('a removed child gives its unique value free before it is taken', () => {
  const chapters = [{ ...two, number: 1 }, three, { title: 'New', number: 2, code: 'a' }]
  expect(inLines(replace({ ...book, favouriteId: null, chapters }))).toMatchInlineSnapshot(`
    [
      "clear book.favourite 10",
      "delete note 20",
      "delete chapter 10",
      "update book 1 {"favouriteId":null}",
      "update chapter 11 {"number":1}",
      "insert chapter {"new":0} {"bookId":1,"title":"New","number":2,"code":"a"}",
    ]
  `)
})

test('what is known of a removed child is let go first, even if the body still names it', () => {
  expect(inLines(replace({ ...book, chapters: [two, three] }))).toEqual([
    'clear book.favourite 10',
    'delete note 20',
    'delete chapter 10',
  ])
})

test('a reference that is newly set to what the same body removes is refused', () => {
  expect(replace({ ...book, favouriteId: 11, chapters: [one, three] })).toMatchObject({
    refusal: { code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/favouriteId' }] },
  })
})

test('associations become the listed ones, those that stay are not touched', () => {
  const outcome = replace({ ...book, authors: [{ id: 6 }, { id: 7 }], tags: [] })
  expect(inLines(outcome)).toEqual(['unlink book.authors 1-5', 'unlink book.tags 1-30', 'link book.authors 1-7'])
})

test('an id of another child is refused with its place', () => {
  expect(replace({ ...book, cover: { id: 9, url: 'u' }, chapters: [{ ...one, id: 99 }] })).toMatchObject({
    refusal: { code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/cover/id' }, { pointer: '/chapters/0/id' }] },
  })
})

test('equal changes give equal plans', () => {
  const body = { ...book, chapters: [{ title: 'New', number: 9 }, two], tags: [{ id: 31 }] }
  expect(JSON.stringify(replace(body))).toBe(JSON.stringify(replace(structuredClone(body))))
})

test('the arguments are not changed', () => {
  const record = structuredClone(book)
  const body = { ...structuredClone(book), chapters: [], cover: null }
  undisturbed('replace', library, 'book', { record }, Object.freeze(body))
  expect(record).toEqual(book)
})

test('two rows that give up a unique value for null do not collide', () => {
  const chapters = [{ ...one, code: null }, { ...two, code: null }, three]
  expect(planOf(replace({ ...book, chapters })).steps.map((step) => step.step)).toEqual(['update'])
})

test('a child that is created owns nothing yet: ids inside it are refused', () => {
  const nested = defineResources({
    a: { relations: { b: owns.one('b') } },
    b: { relations: { a: ownedBy('a'), ds: owns.many('d') } },
    d: { relations: { b: ownedBy('b') } },
  })
  const outcome = undisturbed('replace', nested, 'a', { record: { id: 1, b: null } }, { b: { ds: [{}, { id: 9 }] } })
  expect(outcome).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/b/ds/1/id' }] } })
})
