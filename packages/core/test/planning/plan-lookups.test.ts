import {
  defineResources,
  type Fact,
  neededBy,
  needs,
  ownedBy,
  owns,
  planCreate,
  planLookups,
  planPatch,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'
import { book, inLines, library } from './library.ts'

const body = {
  title: 'Plans',
  publisherId: 3,
  authors: [{ id: 5 }],
  chapters: [{ title: 'One', number: 1, notes: [{ text: 'n', aboutId: 6 }] }],
}

describe('planLookups', () => {
  test('says what has to be known before a record is created', () => {
    expect(planLookups('create', library, 'book', {}, body)).toEqual({
      lookups: [
        { lookup: 'existing', resource: 'publisher', ids: [3] },
        { lookup: 'existing', resource: 'author', ids: [6, 5] },
        { lookup: 'holders', resource: 'book', unique: ['title'], values: [{ title: 'Plans' }] },
      ],
    })
  })

  test('asks whether there is an owner, and room below it and at a chosen id', () => {
    const owner = { relation: 'book', id: 1 }
    expect(planLookups('create', library, 'cover', { owner, id: 7 }, { url: 'u' })).toEqual({
      lookups: [
        { lookup: 'existing', resource: 'book', ids: [1] },
        { lookup: 'holders', resource: 'cover', unique: ['book'], values: [{ bookId: 1 }] },
        { lookup: 'existing', resource: 'cover', ids: [7] },
      ],
    })
  })

  test('asks about unique values below an owner by the names of properties', () => {
    const record = book.chapters[0] as (typeof book.chapters)[number]
    const state = { record, owner: { relation: 'book', id: 1 } }
    expect(planLookups('patch', library, 'chapter', state, { number: 9 })).toEqual({
      lookups: [
        { lookup: 'holders', resource: 'chapter', unique: ['book', 'number'], values: [{ bookId: 1, number: 9 }] },
      ],
    })
  })

  test('asks who needs what is removed, besides what goes with it', () => {
    expect(planLookups('delete', library, 'author', { record: { id: 5 } })).toEqual({
      lookups: [
        { lookup: 'needing', relation: { resource: 'note', relation: 'about' }, targets: [5], except: [] },
        { lookup: 'needing', relation: { resource: 'book', relation: 'authors' }, targets: [5], except: [] },
      ],
    })
  })

  test('asks whom a target serves that may serve one', () => {
    const seats = defineResources({
      guest: { relations: { chairs: needs.many('chair') } },
      chair: { relations: { guest: neededBy.one('guest') } },
    })
    const asked = { lookup: 'linked', relation: { resource: 'guest', relation: 'chairs' }, targets: [4] } as const
    const known: Fact = { lookup: 'existing', resource: 'chair', ids: [4], found: [4] }
    expect(planLookups('create', seats, 'guest', {}, { chairs: [{ id: 4 }] })).toEqual({
      lookups: [{ lookup: 'existing', resource: 'chair', ids: [4] }, asked],
    })
    const create = (found: { from: number; to: number }[]) =>
      planCreate(seats, 'guest', { facts: [known, { ...asked, found }] }, { chairs: [{ id: 4 }] })
    expect(create([{ from: 1, to: 4 }])).toMatchObject({ refusal: { code: 'CRUD_ERR_NOT_UNIQUE' } })
    expect(create([])).toHaveProperty('plan')
  })

  test('asks nothing where the write concerns no other record', () => {
    expect(planLookups('patch', library, 'book', { record: book }, { pages: 7 })).toEqual({ lookups: [] })
  })

  test('refuses what is refused whatever the answers are', () => {
    expect(planLookups('create', library, 'book', {}, {})).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID' } })
    const record = { ...book, cover: null }
    expect(planLookups('patch', library, 'book', { record }, { cover: {} })).toMatchObject({
      refusal: { errors: [{ pointer: '/cover/url' }] },
    })
  })
})

describe('Facts', () => {
  const publisher: Fact = { lookup: 'existing', resource: 'publisher', ids: [3], found: [3] }
  const authors: Fact = { lookup: 'existing', resource: 'author', ids: [6, 5], found: [5, 6] }
  const title: Fact = {
    lookup: 'holders',
    resource: 'book',
    unique: ['title'],
    values: [{ title: 'Plans' }],
    found: [null],
  }
  const create = (...facts: Fact[]) => planCreate(library, 'book', { facts }, body)

  test('that answer all lookups, in any order, give a plan', () => {
    expect(inLines(create(title, authors, publisher))).toHaveLength(4)
  })

  test('decide on references and unique values', () => {
    expect(create({ ...publisher, found: [] }, authors, title)).toMatchObject({
      refusal: { code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/publisherId' }] },
    })
    expect(create(publisher, authors, { ...title, found: [9] })).toMatchObject({
      refusal: { code: 'CRUD_ERR_NOT_UNIQUE', errors: [{ pointer: '/title' }] },
    })
  })

  test('that are missing, or answer another lookup, are an error: nothing is planned without them', () => {
    const missing = 'facts: there is no answer to {"lookup":"existing","resource":"publisher","ids":[3]}'
    expect(() => planCreate(library, 'book', {}, body)).toThrow(missing)
    expect(() => create(authors, title)).toThrow(missing)
    expect(() => create({ ...publisher, ids: [4] }, authors, title)).toThrow(missing)
    expect(() => planPatch(library, 'book', { record: book }, { publisherId: 4 })).toThrow('there is no answer to')
  })

  test('that do not say what was found are an error', () => {
    const wrong = /^facts: the answer to .* must be an array/
    expect(() => create(publisher, authors, { ...title, found: [] })).toThrow(wrong)
    expect(() => create({ ...publisher, found: undefined as never }, authors, title)).toThrow(wrong)
  })
})

describe('An owner', () => {
  const record = book.chapters[0] as (typeof book.chapters)[number]
  const missing = "owner: a chapter has an owner, through 'book'; give its id"

  test('is required for a record that must have one', () => {
    expect(() => planLookups('create', library, 'chapter', {}, {})).toThrow(missing)
    expect(() => planLookups('replace', library, 'chapter', { record }, {})).toThrow(missing)
    expect(() => planLookups('patch', library, 'chapter', { record }, {})).toThrow(missing)
    expect(() => planLookups('delete', library, 'chapter', { record })).toThrow(missing)
  })

  test('is named by a relation of the record', () => {
    const through = (key: string) => () =>
      planLookups('create', library, key, { owner: { relation: 'chapters', id: 1 } }, {})
    expect(through('chapter')).toThrow(
      "owner: a chapter has no ownedBy relation 'chapters'; its owner is named by 'book'",
    )
    expect(through('author')).toThrow("owner: an author has no ownedBy relation 'chapters'; it has no owner")
  })

  test('need not be there for a record that can be without one', () => {
    const tree = defineResources({
      node: {
        fields: { name: Type.String() },
        relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
      },
    })
    expect(planCreate(tree, 'node', {}, { name: 'root' })).toHaveProperty('plan')
    expect(planLookups('create', tree, 'node', { owner: { relation: 'parent', id: 1 } }, { name: 'leaf' })).toEqual({
      lookups: [{ lookup: 'existing', resource: 'node', ids: [1] }],
    })
  })
})

describe('A current record', () => {
  const without = (name: string) => Object.fromEntries(Object.entries(book).filter(([key]) => key !== name)) as never
  const patch = (record: never) => () => planPatch(library, 'book', { record }, {})

  test.each(['chapters', 'cover', 'authors', 'tags', 'publisherId', 'pages', 'id'])(
    'that lacks %s is refused',
    (name) => {
      expect(patch(without(name))).toThrow(`record lacks '${name}'; give the book as GET returns it`)
    },
  )

  test('is refused where a record that it owns lacks a relation', () => {
    const [first, second] = book.chapters
    const { notes: _, ...bare } = second as (typeof book.chapters)[number]
    expect(patch({ ...book, chapters: [first, bare] } as never)).toThrow("record.chapters[1] lacks 'notes'")
    expect(patch({ ...book, cover: 'none' } as never)).toThrow('record.cover is not an object')
  })

  test('that is deleted needs ids only, and all that it owns', () => {
    const remove = (record: never) => () => planLookups('delete', library, 'book', { record })
    expect(remove({ id: 1, cover: null, chapters: [{ id: 10, notes: [] }] } as never)()).toEqual({ lookups: [] })
    expect(remove({ id: 1, chapters: [] } as never)).toThrow("record lacks 'cover'")
    expect(remove({ id: 1, cover: null, chapters: [{ id: 10 }] } as never)).toThrow("record.chapters[0] lacks 'notes'")
  })
})
