import { describe, expectTypeOf, test } from 'vitest'
import type { Model, RecordOf } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

type Book = RecordOf<Bookshop, 'book'>

describe('A record', () => {
  test('has an id and its fields, null where there may be no value', () => {
    expectTypeOf<RecordOf<Bookshop, 'author'>>().toEqualTypeOf<{ id: number; name: string; born: string | null }>()
    expectTypeOf<RecordOf<Bookshop, 'tag'>>().toEqualTypeOf<{ id: number }>()
    expectTypeOf<Book['binding']>().toEqualTypeOf<'soft' | 'hard'>()
    expectTypeOf<Book['notes']>().toEqualTypeOf<string | null>()
    expectTypeOf<Book['size']>().toEqualTypeOf<{ width: number; height?: number } | null>()
  })

  test('is not null where a field has a default', () => {
    expectTypeOf<Book['edition']>().toEqualTypeOf<number>()
    expectTypeOf<Book['pages']>().toEqualTypeOf<number>()
  })

  test('shows the foreign key and the related record of needs.one and knows.one', () => {
    expectTypeOf<Book['publisherId']>().toEqualTypeOf<number>()
    expectTypeOf<Book['publisher']>().toEqualTypeOf<{ id: number; name: string }>()
    expectTypeOf<Book['seriesId']>().toEqualTypeOf<number | null>()
    expectTypeOf<Book['series']>().toEqualTypeOf<{ id: number; title: string } | null>()
  })

  test('calls a foreign key what the option says', () => {
    expectTypeOf<Book['translatedBy']>().toEqualTypeOf<number | null>()
    expectTypeOf<Book>().not.toHaveProperty('translatorId')
    expectTypeOf<RecordOf<Bookshop, 'chapter'>['drawnBy']>().toEqualTypeOf<number>()
  })

  test('shows the related records of needs.many and knows.many as arrays', () => {
    expectTypeOf<Book['authors']>().toEqualTypeOf<{ id: number; name: string; born: string | null }[]>()
    expectTypeOf<Book['tags']>().toEqualTypeOf<{ id: number }[]>()
  })

  test('shows what it owns in full', () => {
    expectTypeOf<Book['cover']>().toEqualTypeOf<{ id: number; url: string } | null>()
    expectTypeOf<Book['blurb']>().toEqualTypeOf<{ id: number; text: string | null }>()
    expectTypeOf<Book['chapters']>().toEqualTypeOf<
      {
        id: number
        title: string
        drawnBy: number
        illustrator: { id: number; name: string; born: string | null }
        paragraphs: { id: number; text: string }[]
      }[]
    >()
  })

  test('shows nothing for neededBy and ownedBy', () => {
    expectTypeOf<RecordOf<Bookshop, 'publisher'>>().toEqualTypeOf<{ id: number; name: string }>()
    expectTypeOf<RecordOf<Bookshop, 'cover'>>().toEqualTypeOf<{ id: number; url: string }>()
    expectTypeOf<keyof RecordOf<Bookshop, 'chapter'>>().toEqualTypeOf<
      'id' | 'title' | 'drawnBy' | 'illustrator' | 'paragraphs'
    >()
  })

  test('of a resource that owns itself has records of its own kind, to any depth', () => {
    type Category = RecordOf<Bookshop, 'category'>
    expectTypeOf<keyof Category>().toEqualTypeOf<'id' | 'name' | 'categories'>()
    expectTypeOf<Category['categories']>().toEqualTypeOf<Category[]>()
    expectTypeOf<Category['categories'][number]['categories'][number]['name']>().toEqualTypeOf<string>()
  })

  test('shows each relation of a resource that it owns twice', () => {
    type Address = { id: number; city: string }
    expectTypeOf<RecordOf<Bookshop, 'person'>>().toEqualTypeOf<{ id: number; homes: Address[]; works: Address[] }>()
  })

  test('of one of several resources is one of their records', () => {
    expectTypeOf<RecordOf<Bookshop, 'cover' | 'tag'>>().toEqualTypeOf<{ id: number; url: string } | { id: number }>()
  })

  test('of a model that is not known at compile time has an id and unknown properties', () => {
    expectTypeOf<RecordOf<Model, string>['id']>().toEqualTypeOf<number | string>()
    expectTypeOf<RecordOf<Model, string>['title']>().toEqualTypeOf<unknown>()
  })

  test('has no property that is not declared', () => {
    const titles = (book: Book) => [
      // @ts-expect-error
      book.titel,
      // @ts-expect-error
      book.chapters[0]?.paragraphs[0]?.titel,
      // @ts-expect-error a related record that is not owned shows no relations
      book.publisher.books,
    ]
    expectTypeOf(titles).toBeFunction()
    // @ts-expect-error no such resource
    expectTypeOf<RecordOf<Bookshop, 'bok'>>()
  })
})
