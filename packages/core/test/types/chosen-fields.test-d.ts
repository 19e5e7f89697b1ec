import { describe, expectTypeOf, test } from 'vitest'
import type {
  ChosenRecord,
  FieldName,
  FindOptions,
  GuardedStore,
  ListOptions,
  RecordOf,
  Store,
} from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (books: Store<Bookshop>['book'], store: Store<Bookshop>) => unknown): void {}

type Book = RecordOf<Bookshop, 'book'>

/** As an editor shows it. */
type Flat<T> = { [N in keyof T]: T[N] }

/** Nothing but the id is known. */
type AnyRecord = { id: number; [name: string]: unknown }

describe('`fields` in the store', () => {
  test('narrows the record to what it names, and the ids', () => {
    compiled(async (books) => {
      const book = await books.find(1, { fields: ['title', 'publisher.name', 'count(chapters)'] })
      expectTypeOf(book).toEqualTypeOf<{
        id: number
        title: string
        publisher: { id: number; name: string; partial?: true }
        'count(chapters)': number
        partial?: true
      }>()
      // @ts-expect-error not named
      book.price
    })
  })

  test('narrows the records of a list, beside a filter and a sort', () => {
    compiled(async (books) => {
      const { rows, count } = await books.list({ filter: { price: { gte: 10 } }, sort: ['-price'], fields: ['title'] })
      expectTypeOf(rows).toEqualTypeOf<{ id: number; title: string; partial?: true }[]>()
      expectTypeOf(count).toEqualTypeOf<number>()
    })
  })

  test('names values, foreign keys and the id', () => {
    compiled(async (books) => {
      const book = await books.find(1, { fields: ['id', 'price', 'size', 'translatedBy', 'publisherId'] })
      expectTypeOf(book).toEqualTypeOf<
        Flat<Pick<Book, 'id' | 'price' | 'size' | 'translatedBy' | 'publisherId'> & { partial?: true }>
      >()
      expectTypeOf(await books.find(1, { fields: [] })).toEqualTypeOf<{ id: number; partial?: true }>()
    })
  })

  test('names a relation for the related records as they show otherwise', () => {
    compiled(async (books, store) => {
      const book = await books.find(1, { fields: ['publisher', 'chapters', 'tags', 'blurb'] })
      expectTypeOf(book).toEqualTypeOf<
        Flat<Pick<Book, 'id' | 'publisher' | 'chapters' | 'tags' | 'blurb'> & { partial?: true }>
      >()
      const { categories } = await store.category.find(1, { fields: ['categories'] })
      expectTypeOf(categories).toEqualTypeOf<RecordOf<Bookshop, 'category'>[]>()
    })
  })

  test('leads through relations of every kind, to null where there may be no record', () => {
    compiled(async (books, store) => {
      const book = await books.find(1, {
        fields: ['series.title', 'cover.url', 'blurb.text', 'authors.name', 'chapters.paragraphs.text'],
      })
      expectTypeOf(book.series).toEqualTypeOf<{ id: number; title: string; partial?: true } | null>()
      expectTypeOf(book.cover).toEqualTypeOf<{ id: number; url: string; partial?: true } | null>()
      expectTypeOf(book.blurb).toEqualTypeOf<{ id: number; text: string | null; partial?: true }>()
      expectTypeOf(book.authors).toEqualTypeOf<{ id: number; name: string; partial?: true }[]>()
      expectTypeOf(book.chapters).toEqualTypeOf<
        { id: number; paragraphs: { id: number; text: string; partial?: true }[]; partial?: true }[]
      >()
      const { books: published } = await store.publisher.find(1, { fields: ['books.title', 'books.publisher'] })
      expectTypeOf(published).toEqualTypeOf<
        { id: number; title: string; publisher: { id: number; name: string }; partial?: true }[]
      >()
    })
  })

  test('leads to the one owner, or to null where there are several', () => {
    compiled(async (books, store) => {
      const chapter = await books.owned(1, 'chapters').find(2, { fields: ['book.title'] })
      expectTypeOf(chapter.book).toEqualTypeOf<{ id: number; title: string; partial?: true }>()
      const home = await store.person.owned(1, 'homes').find(2, { fields: ['homeOf'] })
      expectTypeOf(home.homeOf).toEqualTypeOf<{ id: number } | null>()
      const category = await store.category.find(2, { fields: ['parent.name'] })
      expectTypeOf(category.parent).toEqualTypeOf<{ id: number; name: string; partial?: true } | null>()
    })
  })

  test('takes no name that is misspelt, or that has no place there', () => {
    compiled(async (books) => {
      // @ts-expect-error
      await books.find(1, { fields: ['titel'] })
      // @ts-expect-error
      await books.list({ fields: ['title', 'publisher.nam'] })
      // @ts-expect-error
      await books.list({ fields: ['publishr.name'] })
      // @ts-expect-error a field is no relation
      await books.list({ fields: ['title.name'] })
      // @ts-expect-error a publisher is one
      await books.list({ fields: ['count(publisher)'] })
      // @ts-expect-error several chapters, each of which has paragraphs
      await books.list({ fields: ['count(chapters.paragraphs)'] })
      // @ts-expect-error
      await books.list({ sort: ['-count(chapters.paragraphs)'] })
      // @ts-expect-error
      await books.find(1, { fields: 'title' })
      // @ts-expect-error
      await books.find(1, { feilds: ['title'] })
      const fields = ['title', 'titel'] as const
      // @ts-expect-error
      await books.find(1, { fields })
    })
    // @ts-expect-error
    expectTypeOf<ChosenRecord<Bookshop, 'book', ['titel']>>()
    // @ts-expect-error
    expectTypeOf<{ fields: ['titel'] }>().toExtend<FindOptions<Bookshop, 'book'>>()
  })

  test('gives all that the name of a variable tells', () => {
    compiled(async (books) => {
      const fields = ['title', 'price'] as const
      expectTypeOf(await books.find(1, { fields })).toEqualTypeOf<ChosenRecord<Bookshop, 'book', typeof fields>>()
      const either = Math.random() < 0.5 ? (['title'] as const) : (['pages'] as const)
      expectTypeOf(await books.find(1, { fields: either })).toEqualTypeOf<
        { id: number; title: string; partial?: true } | { id: number; pages: number; partial?: true }
      >()
    })
  })

  test('leaves only the id known where the type of a variable does not tell the names', () => {
    compiled(async (books) => {
      const options = { fields: ['title'], limit: 5 }
      expectTypeOf((await books.list(options)).rows).toEqualTypeOf<AnyRecord[]>()
      const wide: string[] = ['title']
      expectTypeOf(await books.find(1, { fields: wide })).toEqualTypeOf<AnyRecord>()
      expectTypeOf(await books.find(1, { include: wide })).toEqualTypeOf<AnyRecord>()
      const names: readonly FieldName<Bookshop, 'book'>[] = ['title']
      expectTypeOf(await books.find(1, { fields: names })).toEqualTypeOf<AnyRecord>()
      const typed = {} as ListOptions<Bookshop, 'book'>
      expectTypeOf((await books.list(typed)).rows).toEqualTypeOf<AnyRecord[]>()
      expectTypeOf((await books.list({ ...typed, limit: 1 })).rows).toEqualTypeOf<AnyRecord[]>()
    })
  })

  test('changes no type where it is not given', () => {
    compiled(async (books) => {
      expectTypeOf(await books.find(1)).toEqualTypeOf<Book>()
      expectTypeOf(await books.find(1, {})).toEqualTypeOf<Book>()
      expectTypeOf((await books.list({ limit: 5, filter: { title: 'Emma' } })).rows).toEqualTypeOf<Book[]>()
      expectTypeOf((await books.list({ nested: { chapters: { limit: 1 } } })).rows).toEqualTypeOf<Book[]>()
      const maybe = undefined as { readonly limit: number } | undefined
      expectTypeOf((await books.list(maybe)).rows).toEqualTypeOf<Book[]>()
    })
  })

  test('narrows for a caller, and is free where the model is not known at compile time', () => {
    compiled(async () => {
      const guarded = {} as GuardedStore<Bookshop>
      expectTypeOf(await guarded.as({ id: 7 }).book.find(1, { fields: ['title'] })).toEqualTypeOf<{
        id: number
        title: string
        partial?: true
      }>()
      const store = {} as Store
      const { rows } = await store
        .resource('book')
        .list({ fields: ['a', 'b.c'], include: ['d'], nested: { d: { limit: 1 } } })
      expectTypeOf(rows).toEqualTypeOf<{ id: number | string; [name: string]: unknown }[]>()
    })
  })
})
