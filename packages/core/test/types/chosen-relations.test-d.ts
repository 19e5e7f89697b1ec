import { describe, expectTypeOf, test } from 'vitest'
import type { IncludeName, RecordOf, Store } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (books: Store<Bookshop>['book'], store: Store<Bookshop>) => unknown): void {}

type Book = RecordOf<Bookshop, 'book'>
type Publisher = RecordOf<Bookshop, 'publisher'>

/** As an editor shows it. */
type Flat<T> = { [N in keyof T]: T[N] }

/** A book in a record that does not own it: its id and fields. */
type PlainBook = Pick<Book, 'id' | 'title' | 'price' | 'binding' | 'notes' | 'size' | 'edition' | 'pages'>

describe('`include` in the store', () => {
  test('adds related records, with their ids and fields', () => {
    compiled(async (_, store) => {
      const publisher = await store.publisher.find(1, { include: ['books'] })
      expectTypeOf(publisher).toEqualTypeOf<Flat<Publisher & { books: PlainBook[] }>>()
      const { rows } = await store.publisher.list({ include: ['books'] })
      expectTypeOf(rows).toEqualTypeOf<(typeof publisher)[]>()
    })
  })

  test('adds to related records, too, up to three relations away', () => {
    compiled(async (books, store) => {
      const publisher = await store.publisher.find(1, { include: ['books.authors', 'books.series'] })
      expectTypeOf(publisher.books).toEqualTypeOf<
        Flat<PlainBook & Pick<Book, 'authors' | 'series'> & { partial?: true }>[]
      >()
      const book = await books.find(1, { include: ['publisher.books.tags'] })
      expectTypeOf(book.publisher.books[0]?.tags).toEqualTypeOf<{ id: number }[] | undefined>()
      expectTypeOf<keyof typeof book>().toEqualTypeOf<keyof Book>()
    })
  })

  test('leaves out what is named with -', () => {
    compiled(async (books) => {
      const book = await books.find(1, { include: ['-chapters', '-publisher'] })
      expectTypeOf(book).toEqualTypeOf<Flat<Omit<Book, 'chapters' | 'publisher'> & { partial?: true }>>()
      expectTypeOf(book.publisherId).toEqualTypeOf<number>()
      const { chapters } = await books.find(1, { include: ['-chapters.paragraphs'] })
      expectTypeOf(chapters).toEqualTypeOf<Flat<Omit<Book['chapters'][number], 'paragraphs'> & { partial?: true }>[]>()
    })
  })

  test('adds to what `fields` names', () => {
    compiled(async (books, store) => {
      const book = await books.find(1, { fields: ['title'], include: ['tags'] })
      expectTypeOf(book).toEqualTypeOf<{ id: number; title: string; tags: { id: number }[]; partial?: true }>()
      const publisher = await store.publisher.find(1, { fields: ['books.title'], include: ['books.series'] })
      expectTypeOf(publisher).toEqualTypeOf<{
        id: number
        books: { id: number; title: string; series: { id: number; title: string } | null; partial?: true }[]
        partial?: true
      }>()
    })
  })

  test('takes no name that is misspelt, or that has no place there', () => {
    compiled(async (books, store) => {
      // @ts-expect-error
      await store.publisher.find(1, { include: ['book'] })
      // @ts-expect-error a field
      await store.publisher.list({ include: ['name'] })
      // @ts-expect-error
      await store.publisher.list({ include: ['books.tag'] })
      // @ts-expect-error a publisher does not carry its books by itself
      await store.publisher.list({ include: ['-books'] })
      // @ts-expect-error a book shows only the fields of its publisher
      await books.list({ include: ['-publisher.books'] })
    })
    expectTypeOf<'books.authors'>().toExtend<IncludeName<Bookshop, 'publisher'>>()
  })
})

describe('`nested` in the store', () => {
  test('says which records arrays have, by their paths', () => {
    compiled(async (books, store) => {
      await books.list({
        include: ['publisher.books.tags'],
        nested: {
          chapters: { limit: 5, sort: ['-title'], filter: { 'illustrator.name': { startsWith: 'A' } } },
          'chapters.paragraphs': { sort: ['lower(text)'] },
          'publisher.books': { filter: { price: { lt: 5 } } },
          'publisher.books.tags': { limit: 3 },
        },
      })
      await store.publisher.find(1, { include: ['books'], nested: { books: { limit: 5, sort: ['-price'] } } })
    })
  })

  test('takes no name that is misspelt, and no relation to one record', () => {
    compiled(async (books) => {
      // @ts-expect-error
      await books.list({ nested: { chapter: { limit: 5 } } })
      // @ts-expect-error
      await books.list({ nested: { publisher: { limit: 5 } } })
      // @ts-expect-error
      await books.list({ nested: { chapters: { limt: 5 } } })
      // @ts-expect-error
      await books.list({ nested: { chapters: { sort: ['titel'] } } })
      // @ts-expect-error
      await books.list({ nested: { chapters: { filter: { titel: 'One' } } } })
    })
  })
})
