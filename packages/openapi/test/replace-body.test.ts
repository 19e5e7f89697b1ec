import { describe, expect, it } from 'vitest'
import { library } from './library.ts'
import { propertyOf, validatorOf } from './validator.ts'

const wrongWith = validatorOf(library)
const wrong = (body: unknown) => wrongWith('book.replace', body)
const least = { title: 'T', publisherId: 1, authors: [{ id: 1 }], contract: { signed: true } }

describe('the body of PUT', () => {
  it('needs the required fields, the foreign keys and links that it needs, and the required child', () => {
    expect(wrong(least)).toEqual([])
    expect(wrong({})).toEqual([
      " must have required property 'title'",
      " must have required property 'publisherId'",
      " must have required property 'authors'",
      " must have required property 'contract'",
    ])
  })

  it('may carry the id; on the collection it must', () => {
    expect(wrong({ ...least, id: 1 })).toEqual([])
    for (const id of [null, '', '1', 1.5, true]) expect(wrong({ ...least, id })).not.toEqual([])
    expect(wrongWith('book.replaceWithId', { ...least, id: 1 })).toEqual([])
    expect(wrongWith('book.replaceWithId', least)).toEqual([" must have required property 'id'"])
  })

  it('takes what GET answers, at any depth', () => {
    const record = {
      id: 1,
      title: 'T',
      price: null,
      language: 'en',
      printed: '1974-05-01',
      publisherId: 1,
      publisher: { id: 1, name: 'P', city: null },
      authors: [{ id: 1, name: 'A' }],
      cover: { id: 1, url: null },
      contract: { id: 1, signed: false },
      chapters: [
        {
          id: 1,
          title: 'One',
          pages: 3,
          notes: [{ id: 1, text: 'n' }],
          picture: { id: 1, url: 'http://x.y/', artistId: 1, artist: { id: 1, name: 'A' } },
        },
        { id: 2, title: 'Two', pages: null, notes: [], picture: null },
      ],
      seriesId: null,
      series: null,
      tags: [{ id: 1, word: 'w' }],
      sequelId: 1,
      sequel: { id: 1, title: 'T', price: null, language: 'en', printed: null },
    }
    expect(wrongWith('book.record', record)).toEqual([])
    expect(wrong(record)).toEqual([])
    expect(wrongWith('book.patch', record)).toEqual([])
  })

  it('says the default of a field', () => {
    expect(propertyOf(library, 'book.replace', 'language')).toMatchObject({ default: 'en' })
  })

  it('has no unknown property, at any depth', () => {
    expect(wrong({ ...least, nope: 1 })).toEqual([' must NOT have additional properties'])
    expect(wrong({ ...least, chapters: [{ id: 1, title: 'One', notes: [{ text: 'n', nope: 1 }] }] })).not.toEqual([])
  })

  it('owns.one: in full, with or without the id; null and left out remove it unless it is required', () => {
    expect(wrong({ ...least, cover: {} })).toEqual([])
    expect(wrong({ ...least, cover: { id: 1 } })).toEqual([])
    expect(wrong({ ...least, cover: null })).toEqual([])
    expect(wrong({ ...least, contract: { id: 1, signed: true } })).toEqual([])
    expect(wrong({ ...least, contract: null })).not.toEqual([])
    expect(wrong({ ...least, contract: {} })).toEqual(["/contract must have required property 'signed'"])
    for (const cover of [[], 'x', { id: null }]) expect(wrong({ ...least, cover })).not.toEqual([])
  })

  it('owns.many: elements with id are updated in full, elements without are created', () => {
    expect(wrong({ ...least, chapters: [{ id: 1, title: 'One' }, { title: 'Two' }] })).toEqual([])
    expect(wrong({ ...least, chapters: [{ id: 1 }] })).not.toEqual([])
    expect(wrong({ ...least, chapters: [{}] })).not.toEqual([])
    expect(wrong({ ...least, chapters: [] })).toEqual([])
    for (const chapters of [null, [null], [[]], [{ id: '1', title: 'One' }], [{ id: null, title: 'One' }]]) {
      expect(wrong({ ...least, chapters })).not.toEqual([])
    }
  })

  it('inside a new child, nothing has an id', () => {
    const notes = [{ id: 1, text: 'n' }]
    expect(wrong({ ...least, chapters: [{ id: 1, title: 'One', notes }] })).toEqual([])
    expect(wrong({ ...least, chapters: [{ title: 'One', notes }] })).not.toEqual([])
  })

  it('needs.one: the foreign key is required', () => {
    const { publisherId, ...rest } = least
    expect(wrong({ ...rest, publisher: { id: publisherId, name: 'P', city: null } })).toEqual([
      " must have required property 'publisherId'",
    ])
    expect(wrong({ ...least, publisherId: null })).not.toEqual([])
  })

  it('needs.many: the listed set, with at least one element', () => {
    const { authors, ...rest } = least
    expect(wrong({ ...least, authors: [...authors, { id: 2, name: 'A' }] })).toEqual([])
    expect(wrong({ ...least, authors: [] })).not.toEqual([])
    expect(wrong(rest)).not.toEqual([])
  })

  it('knows.one and knows.many: may be left out, null and empty', () => {
    expect(wrong({ ...least, seriesId: 1, tags: [{ id: 1 }] })).toEqual([])
    expect(wrong({ ...least, seriesId: null, tags: [] })).toEqual([])
    expect(wrong({ ...least, tags: null })).not.toEqual([])
  })

  it('of a tree: the same rules at any depth', () => {
    const tree = (leaf: object) => ({ name: 'a', categories: [{ id: 2, name: 'b', categories: [leaf] }] })
    expect(wrongWith('category.replace', tree({ id: 3, name: 'c' }))).toEqual([])
    expect(wrongWith('category.replace', tree({ name: 'c' }))).toEqual([])
    expect(wrongWith('category.replace', tree({ id: 3 }))).not.toEqual([])
  })
})
