import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'
import { propertyOf, validatorOf } from './validator.ts'

const wrongWith = validatorOf(library)
const wrong = (body: unknown) => wrongWith('book.create', body)
const least = { title: 'T', publisherId: 1, authors: [{ id: 1 }], contract: { signed: true } }

describe('the body of POST', () => {
  it('needs the required fields, the foreign keys and links that it needs, and the required child', () => {
    expect(wrong(least)).toEqual([])
    expect(wrong({})).toEqual([
      " must have required property 'title'",
      " must have required property 'publisherId'",
      " must have required property 'authors'",
      " must have required property 'contract'",
    ])
  })

  it('takes every property', () => {
    expect(
      wrong({
        ...least,
        price: 12.5,
        language: 'de',
        printed: '1974-05-01',
        cover: { url: null },
        chapters: [{ title: 'One', pages: null, notes: [{ text: 'n' }], picture: { url: 'http://x.y/', artistId: 1 } }],
        seriesId: 1,
        sequelId: null,
        tags: [{ id: 1 }],
      }),
    ).toEqual([])
  })

  it('takes null where a field may be null, and nowhere else', () => {
    expect(wrong({ ...least, price: null, printed: null })).toEqual([])
    expect(wrong({ ...least, title: null })).toEqual(['/title must be string'])
    expect(wrong({ ...least, language: null })).toEqual(['/language must be string'])
  })

  it('does not need a field with a default, and says the default', () => {
    expect(wrong(least)).toEqual([])
    expect(propertyOf(library, 'book.create', 'language')).toMatchObject({ default: 'en' })
  })

  it('has no id, at the top or inside', () => {
    expect(wrong({ ...least, id: 1 })).not.toEqual([])
    expect(wrong({ ...least, cover: { id: 1 } })).not.toEqual([])
    expect(wrong({ ...least, contract: { id: 1, signed: true } })).not.toEqual([])
    expect(wrong({ ...least, chapters: [{ id: 1, title: 'One' }] })).not.toEqual([])
    expect(wrong({ ...least, chapters: [{ title: 'One', notes: [{ id: 1, text: 'n' }] }] })).not.toEqual([])
  })

  it('has no unknown property, at any depth', () => {
    expect(wrong({ ...least, nope: 1 })).toEqual([' must NOT have additional properties'])
    expect(wrong({ ...least, bookId: 1 })).not.toEqual([])
    expect(wrong({ ...least, chapters: [{ title: 'One', notes: [{ text: 'n', nope: 1 }] }] })).toEqual([
      '/chapters/0/notes/0 must NOT have additional properties',
    ])
    expect(wrong({ ...least, chapters: [{ title: 'One', bookId: 1 }] })).not.toEqual([])
  })

  it('owns.one: optional unless required', () => {
    expect(wrong({ ...least, cover: null })).toEqual([])
    expect(wrong({ ...least, cover: {} })).toEqual([])
    expect(wrong({ ...least, contract: null })).not.toEqual([])
    expect(wrong({ ...least, contract: {} })).toEqual(["/contract must have required property 'signed'"])
    for (const cover of [[], 'x', 1]) expect(wrong({ ...least, cover })).not.toEqual([])
  })

  it('owns.many: may be empty or left out, but not null', () => {
    expect(wrong({ ...least, chapters: [] })).toEqual([])
    for (const chapters of [null, [null], [[]], [1], {}, 'x']) expect(wrong({ ...least, chapters })).not.toEqual([])
  })

  it('needs.one: the foreign key is an id', () => {
    for (const publisherId of [null, 1.5, '1', true]) expect(wrong({ ...least, publisherId })).not.toEqual([])
  })

  it('needs.many: at least one element, each needs only its id', () => {
    expect(wrong({ ...least, authors: [] })).toEqual(['/authors must NOT have fewer than 1 items'])
    for (const authors of [null, [1], [{}], [{ id: null }], [{ id: '1' }], [{ id: 1, nope: 1 }]]) {
      expect(wrong({ ...least, authors })).not.toEqual([])
    }
    expect(
      wrong({
        ...least,
        authors: [
          { id: 1, name: 'not looked at' },
          { id: 2, name: null },
        ],
      }),
    ).toEqual([])
  })

  it('knows.one: the foreign key is an id, null or left out', () => {
    expect(wrong({ ...least, seriesId: null })).toEqual([])
    for (const seriesId of [1.5, '1']) expect(wrong({ ...least, seriesId })).not.toEqual([])
  })

  it('knows.many: ids only, may be empty or left out', () => {
    expect(wrong({ ...least, tags: [] })).toEqual([])
    expect(wrong({ ...least, tags: null })).not.toEqual([])
    expect(wrong({ ...least, tags: [{ id: 1 }, { id: 2, word: 7 }] })).toEqual([])
  })

  it('ignores the nested records beside foreign keys, but not unknown properties in them', () => {
    for (const publisher of [null, {}, { id: 'x', name: 5, city: [] }]) {
      expect(wrong({ ...least, publisher })).toEqual([])
    }
    expect(wrong({ ...least, series: null, sequel: { id: 2, title: 'U' } })).toEqual([])
    for (const publisher of [{ nope: 1 }, 1, 'x', []]) expect(wrong({ ...least, publisher })).not.toEqual([])
    expect(wrong({ ...least, sequel: { id: 2, publisherId: 1 } })).not.toEqual([])
  })

  it('of a tree: the same rules at any depth', () => {
    const tree = (leaf: object) => ({ name: 'a', categories: [{ name: 'b', categories: [{ name: 'c', ...leaf }] }] })
    expect(wrongWith('category.create', tree({}))).toEqual([])
    expect(wrongWith('category.create', tree({ id: 1 }))).not.toEqual([])
    expect(wrongWith('category.create', tree({ parentId: 1 }))).not.toEqual([])
  })

  it('of a resource that is owned twice: names neither owner', () => {
    expect(wrongWith('person.create', { name: 'P', homes: [{ street: 's' }], works: [] })).toEqual([])
    expect(wrongWith('address.create', { street: 's', homeOfId: 1 })).not.toEqual([])
  })
})

describe('the id that a client gives', () => {
  const model = defineResources({ tag: { id: 'text', fields: {} } })
  const wrongWith = validatorOf(model)

  it('has no control character, no slash, and no name of a folder', () => {
    for (const id of ['a', 'a b', 'ä', '😀', '...', 'a$', '\u00a0']) expect(wrongWith('tag.create', { id })).toEqual([])
    for (const id of ['', '.', '..', '$a', 'a ', 'a/b', 'a\\b', 'a\0', 'a\u001fb', '\u007f', '\u009f', '\n']) {
      expect(wrongWith('tag.create', { id })).not.toEqual([])
    }
  })

  it('has a pattern of which no generator makes control characters', () => {
    expect(JSON.stringify(openApiOf(model))).not.toMatch(/\\u[0-9a-f]{4}/i)
  })
})
