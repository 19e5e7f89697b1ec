import { describe, expect, it } from 'vitest'
import { library } from './library.ts'
import { propertyOf, validatorOf } from './validator.ts'

const wrongWith = validatorOf(library)
const wrong = (body: unknown) => wrongWith('book.patch', body)

describe('the body of PATCH', () => {
  it('may be empty, and may carry the id', () => {
    expect(wrong({})).toEqual([])
    expect(wrong({ id: 1 })).toEqual([])
    for (const id of [null, '', '1', 1.5, true]) expect(wrong({ id })).not.toEqual([])
  })

  it('takes one field, and null only where the field may be null', () => {
    expect(wrong({ title: 'T' })).toEqual([])
    expect(wrong({ price: null })).toEqual([])
    expect(wrong({ title: null })).not.toEqual([])
    expect(wrong({ language: null })).not.toEqual([])
    expect(wrong({ price: -1 })).toContain('/price must be >= 0')
  })

  it('adds to a number, and takes away elements of arrays', () => {
    expect(wrong({ price: { $add: -0.5 } })).toEqual([])
    for (const price of [{ $add: '1' }, { $add: 1, by: 2 }, {}]) expect(wrong({ price })).not.toEqual([])
    expect(wrong({ title: { $add: 'x' } })).not.toEqual([])
    expect(wrong({ chapters: [{ id: 1, $remove: true }] })).toEqual([])
    expect(wrong({ authors: [{ id: 1, $remove: true }] })).toEqual([])
    for (const chapter of [{ $remove: true }, { id: 1, $remove: false }, { id: 1, title: 't', $remove: true }]) {
      expect(wrong({ chapters: [chapter] })).not.toEqual([])
    }
  })

  it('has no default: what is left out stays as it is', () => {
    expect(propertyOf(library, 'book.patch', 'language')).not.toHaveProperty('default')
  })

  it('has no unknown property, at any depth', () => {
    expect(wrong({ nope: 1 })).toEqual([' must NOT have additional properties'])
    expect(wrong({ chapters: [{ id: 1, notes: [{ id: 1, nope: 1 }] }] })).not.toEqual([])
  })

  it('owns.one: the listed fields, or null unless it is required', () => {
    expect(wrong({ cover: {} })).toEqual([])
    expect(wrong({ cover: { id: 1, url: 'u' } })).toEqual([])
    expect(wrong({ cover: null })).toEqual([])
    expect(wrong({ contract: {} })).toEqual([])
    expect(wrong({ contract: null })).not.toEqual([])
    for (const cover of [[], 'x', { nope: 1 }]) expect(wrong({ cover })).not.toEqual([])
  })

  it('owns.many: elements with id are updated by what they carry, elements without are created', () => {
    expect(wrong({ chapters: [{ id: 1 }, { id: 2, pages: 5 }, { title: 'New' }] })).toEqual([])
    expect(wrong({ chapters: [{ pages: 5 }] })).not.toEqual([])
    expect(wrong({ chapters: [] })).toEqual([])
    for (const chapters of [null, [null], [{ id: '1' }]]) expect(wrong({ chapters })).not.toEqual([])
  })

  it('changes a grandchild inside a listed child', () => {
    expect(wrong({ chapters: [{ id: 1, notes: [{ id: 1, text: 'n' }, { text: 'new' }] }] })).toEqual([])
    expect(wrong({ chapters: [{ id: 1, picture: { url: 'http://x.y/' } }] })).toEqual([])
    expect(wrong({ chapters: [{ title: 'New', notes: [{ id: 1 }] }] })).not.toEqual([])
  })

  it('needs.one: moves the record; null is refused', () => {
    expect(wrong({ publisherId: 2 })).toEqual([])
    expect(wrong({ publisherId: null })).not.toEqual([])
    expect(wrong({ publisher: { id: 2 } })).toEqual([])
  })

  it('needs.many and knows.many: add associations; an empty list adds nothing', () => {
    expect(wrong({ authors: [{ id: 1 }], tags: [{ id: 1, word: null }] })).toEqual([])
    expect(wrong({ authors: [], tags: [] })).toEqual([])
    for (const authors of [null, [1], [{}]]) expect(wrong({ authors })).not.toEqual([])
  })

  it('knows.one: sets the foreign key; null clears it', () => {
    expect(wrong({ seriesId: 1 })).toEqual([])
    expect(wrong({ seriesId: null })).toEqual([])
    expect(wrong({ seriesId: '1' })).not.toEqual([])
  })

  it('of a tree: the same rules at any depth', () => {
    const tree = (leaf: object) => ({ categories: [{ id: 2, categories: [leaf] }] })
    expect(wrongWith('category.patch', tree({ id: 3 }))).toEqual([])
    expect(wrongWith('category.patch', tree({ name: 'c' }))).toEqual([])
    expect(wrongWith('category.patch', tree({}))).not.toEqual([])
  })
})
