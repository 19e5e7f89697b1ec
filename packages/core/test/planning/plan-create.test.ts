import { type Fact, planCreate } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { inLines, library, planOf } from './library.ts'
import { undisturbed } from './undisturbed.ts'

test('a new record is inserted before what it owns, and that before its links', () => {
  const body = {
    title: 'Plans',
    publisherId: 3,
    authors: [{ id: 5 }],
    cover: { url: 'u' },
    chapters: [{ title: 'One', number: 1, notes: [{ text: 'n', aboutId: 5 }] }],
    tags: [{ id: 30 }, { id: 31 }],
  }
  expect(inLines(undisturbed('create', library, 'book', {}, body))).toMatchInlineSnapshot(`
    [
      "insert book {"new":0} {"title":"Plans","pages":null,"language":"en","publisherId":3,"favouriteId":null}",
      "insert chapter {"new":2} {"bookId":{"new":0},"title":"One","number":1,"code":null}",
      "insert cover {"new":1} {"bookId":{"new":0},"url":"u"}",
      "insert note {"new":3} {"chapterId":{"new":2},"text":"n","aboutId":5}",
      "link book.authors {"new":0}-5",
      "link book.tags {"new":0}-30; {"new":0}-31",
    ]
  `)
})

test('each row carries its place in the body', () => {
  const body = { title: 'T', publisherId: 3, authors: [{ id: 5 }], chapters: [{ title: 'One', number: 1, notes: [] }] }
  const plan = planOf(undisturbed('create', library, 'book', {}, body))
  const pointers = plan.steps.flatMap((step) => (step.step === 'insert' ? step.rows.map((row) => row.pointer) : []))
  expect(pointers).toEqual(['', '/chapters/0'])
})

test('an owned record is inserted under its owner', () => {
  const owner = { relation: 'book', id: 1 }
  const outcome = undisturbed('create', library, 'chapter', { owner }, { title: 'One', number: 1 })
  expect(inLines(outcome)).toEqual(['insert chapter {"new":0} {"bookId":1,"title":"One","number":1,"code":null}'])
})

test('an id that the request asks for is the id of the row and of the owner of what it owns', () => {
  const body = { title: 'T', publisherId: 3, authors: [{ id: 5 }], cover: { url: 'u' } }
  const plan = planOf(undisturbed('create', library, 'book', { id: 70 }, body))
  expect(plan.result).toBe(70)
  expect(inLines({ plan })).toContain('insert cover {"new":1} {"bookId":70,"url":"u"}')
  expect(inLines({ plan })).toContain('link book.authors 70-5')
})

test('a taken id, the taken place of an only child, and an owner that is not there are refused', () => {
  const state = { owner: { relation: 'book', id: 1 }, id: 3 }
  const found = { book: [1], cover: [] as number[], place: null as number | null }
  const create = (other: Partial<typeof found>) => {
    const { book, cover, place } = { ...found, ...other }
    const facts: Fact[] = [
      { lookup: 'existing', resource: 'book', ids: [1], found: book },
      { lookup: 'holders', resource: 'cover', unique: ['book'], values: [{ bookId: 1 }], found: [place] },
      { lookup: 'existing', resource: 'cover', ids: [3], found: cover },
    ]
    return planCreate(library, 'cover', { ...state, facts }, { url: 'u' })
  }
  expect(inLines(create({}))).toEqual(['insert cover 3 {"bookId":1,"url":"u"}'])
  expect(create({ cover: [3] })).toMatchObject({
    refusal: { code: 'CRUD_ERR_EXISTS', detail: 'there is a cover 3 already' },
  })
  expect(create({ place: 8 })).toMatchObject({
    refusal: { code: 'CRUD_ERR_EXISTS', detail: 'book 1 has its cover already' },
  })
  expect(create({ book: [] })).toMatchObject({ refusal: { code: 'CRUD_ERR_NOT_FOUND', detail: 'there is no book 1' } })
})

test('every problem of a body is listed with its pointer', () => {
  const body = { titel: 'T', pages: 1.5, authors: [], chapters: [{ number: 'x', notes: [{ text: 1 }] }, null] }
  const outcome = undisturbed('create', library, 'book', {}, body)
  expect('refusal' in outcome && outcome.refusal.errors.map((error) => error.pointer).sort()).toEqual([
    '/authors',
    '/chapters/0/notes/0/aboutId',
    '/chapters/0/notes/0/text',
    '/chapters/0/number',
    '/chapters/0/title',
    '/chapters/1',
    '/pages',
    '/publisherId',
    '/titel',
    '/title',
  ])
})

test('two elements of one body with the same unique value are refused, both pointed to', () => {
  const chapters = [
    { title: 'One', number: 1 },
    { title: 'Two', number: 2 },
    { title: 'Uno', number: 1 },
  ]
  const outcome = undisturbed(
    'create',
    library,
    'book',
    {},
    { title: 'T', publisherId: 3, authors: [{ id: 5 }], chapters },
  )
  expect(outcome).toMatchObject({ refusal: { code: 'CRUD_ERR_NOT_UNIQUE' } })
  expect('refusal' in outcome && outcome.refusal.errors.map((error) => error.pointer)).toEqual([
    '/chapters/0/number',
    '/chapters/2/number',
  ])
})

test('a foreign key that is no id is one problem, not a missing one as well', () => {
  expect(
    undisturbed('create', library, 'book', {}, { title: 'Plans', publisherId: 'three', authors: [{ id: 1 }] }),
  ).toMatchObject({
    refusal: { errors: [{ pointer: '/publisherId', message: 'must be an id: an integer' }] },
  })
})

test('what an object inherits is not in the body', () => {
  expect(undisturbed('create', library, 'book', {}, Object.create({ title: 'Plans', publisherId: 3 }))).toMatchObject({
    refusal: { errors: [{ pointer: '/title' }, { pointer: '/publisherId' }, { pointer: '/authors' }] },
  })
})
