import { describe, expect, it } from 'vitest'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

const wrong = validatorOf(library)
const chapter = { id: 1, title: 'One', pages: null, notes: [], picture: null }

describe('a record', () => {
  it('has all properties, and null where there is no value', () => {
    expect(wrong('chapter.record', chapter)).toEqual([])
    for (const name of Object.keys(chapter)) {
      const { [name as keyof typeof chapter]: _, ...rest } = chapter
      expect(wrong('chapter.record', rest)).toEqual([` must have required property '${name}'`])
    }
    expect(wrong('chapter.record', { ...chapter, bookId: 1 })).toEqual([' must NOT have additional properties'])
    expect(wrong('chapter.record', { ...chapter, title: null })).not.toEqual([])
  })

  it('may lack related records, but no field, where `authorize` is asked about them', () => {
    const wrongIfGuarded = validatorOf(library, true)
    const { notes: _notes, picture: _picture, ...fields } = chapter
    expect(wrongIfGuarded('chapter.record', fields)).toEqual([])
    const { pages: _pages, ...rest } = chapter
    expect(wrongIfGuarded('chapter.record', rest)).toEqual([" must have required property 'pages'"])
  })

  it('shows owned records in full, to any depth', () => {
    const notes = [{ id: 1, text: 'n' }]
    const picture = { id: 1, url: 'http://x.y/', artistId: 1, artist: { id: 1, name: 'A' } }
    expect(wrong('chapter.record', { ...chapter, notes, picture })).toEqual([])
    expect(wrong('chapter.record', { ...chapter, notes: [{ text: 'n' }] })).not.toEqual([])
    expect(wrong('chapter.record', { ...chapter, notes: null })).not.toEqual([])
    const leaf = { id: 3, name: 'c', categories: [] }
    const tree = { id: 1, name: 'a', categories: [{ id: 2, name: 'b', categories: [leaf] }] }
    expect(wrong('category.record', tree)).toEqual([])
    expect(wrong('category.record', { ...tree, categories: [{ id: 2, name: 'b', categories: [{}] }] })).not.toEqual([])
  })

  it('shows what it needs with its foreign key, never null', () => {
    const picture = { id: 1, url: 'http://x.y/', artistId: 1, artist: { id: 1, name: 'A' } }
    expect(wrong('picture.record', picture)).toEqual([])
    expect(wrong('picture.record', { ...picture, artist: null })).not.toEqual([])
    expect(wrong('picture.record', { ...picture, artistId: null })).not.toEqual([])
  })

  it('shows of a related record the id and plain fields, no relations', () => {
    expect(wrong('chapter.summary', { id: 1, title: 'One', pages: null })).toEqual([])
    expect(wrong('chapter.summary', chapter)).not.toEqual([])
    const shelf = { id: 1, place: 'p', favourites: [{ id: 1, title: 'One', pages: null }] }
    expect(wrong('shelf.record', shelf)).toEqual([])
    expect(wrong('shelf.record', { ...shelf, favourites: [chapter] })).not.toEqual([])
  })

  it('never says a default: nothing is missing from an answer', () => {
    expect(JSON.stringify(componentOf(library, 'book.record'))).not.toContain('"default"')
    expect(JSON.stringify(componentOf(library, 'book.summary'))).not.toContain('"default"')
  })

  it('carries the description of the resource and of its fields', () => {
    expect(componentOf(library, 'book.record')).toMatchObject({
      description: 'A book, with its chapters.',
      properties: {
        title: { type: 'string', minLength: 1, description: 'As on the cover.', examples: ['The Dispossessed'] },
        price: { type: ['number', 'null'], minimum: 0, description: 'In euros.' },
      },
    })
  })
})

describe('a page', () => {
  it('is rows, the count of all records if it is asked for, and a cursor if there are more', () => {
    expect(wrong('chapter.page', { rows: [chapter], count: 41 })).toEqual([])
    expect(wrong('chapter.page', { rows: [], count: 0 })).toEqual([])
    expect(wrong('chapter.page', { rows: [chapter], next: 'x' })).toEqual([])
    expect(wrong('chapter.page', { rows: [chapter], count: 9, countIs: 'atLeast', next: 'x' })).toEqual([])
    for (const page of [
      { count: 0 },
      { rows: [], count: -1 },
      { rows: [], next: 1 },
      { rows: [], countIs: 'exact' },
      [],
    ]) {
      expect(wrong('chapter.page', page)).not.toEqual([])
    }
  })

  it('is one closed object, as generators lose what stands beside an `allOf`', () => {
    expect(wrong('chapter.page', { rows: [], total: 1 })).not.toEqual([])
    expect(Object.keys(Object(componentOf(library, 'chapter.page')).properties)).toEqual([
      'rows',
      'count',
      'countIs',
      'next',
    ])
    const both = (schema: object) => 'allOf' in schema && 'properties' in schema
    const { schemas } = openApiOf(library).components
    expect(Object.keys(schemas).filter((name) => both(Object(schemas[name])))).toEqual([])
  })
})
