import { describe, expectTypeOf, test } from 'vitest'
import type { Collection, CreateBody, Listing, PatchBody, Plan, RecordOf, ReplaceBody, Store } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Bookshop>) => unknown): void {}

describe('The store', () => {
  test('has a collection for each resource whose records can be without an owner', () => {
    compiled((store) => [
      expectTypeOf(store.resource('book')).toEqualTypeOf<Collection<Bookshop, 'book'>>(),
      expectTypeOf(store.book).toEqualTypeOf<Collection<Bookshop, 'book'>>(),
      store.resource('category'),
      // @ts-expect-error a chapter is reached through its book
      store.resource('chapter'),
      // @ts-expect-error no such resource
      store.resource('bok'),
      // @ts-expect-error a chapter is reached through its book
      store.chapter,
      // @ts-expect-error no such resource
      store.bok,
    ])
  })

  test('reads records, and writes bodies', () => {
    type Books = Collection<Bookshop, 'book'>
    type Book = RecordOf<Bookshop, 'book'>
    expectTypeOf<ReturnType<Books['find']>>().toEqualTypeOf<Promise<Book>>()
    compiled(async (store) => expectTypeOf(await store.book.list()).toEqualTypeOf<Listing<Book>>())
    expectTypeOf<Listing<Book>>().toExtend<{ rows: Book[]; count: number; next?: string }>()
    expectTypeOf<Books['create']>().parameter(0).toEqualTypeOf<CreateBody<Bookshop, 'book'>>()
    expectTypeOf<Books['replace']>().parameter(1).toEqualTypeOf<ReplaceBody<Bookshop, 'book'>>()
    expectTypeOf<ReturnType<Books['replace']>>().toEqualTypeOf<Promise<Book>>()
    expectTypeOf<Books['patch']>().parameter(1).toEqualTypeOf<PatchBody<Bookshop, 'book'>>()
    expectTypeOf<ReturnType<Books['patch']>>().toEqualTypeOf<Promise<Book>>()
    expectTypeOf<ReturnType<Books['delete']>>().toEqualTypeOf<Promise<void>>()
  })

  test('has a plan and a record of a write that is undone', () => {
    compiled(async (store) => {
      const books = store.resource('book')
      const done = await books.patch(1, {}, { dryRun: true })
      expectTypeOf(done).toEqualTypeOf<{ record: RecordOf<Bookshop, 'book'> | undefined; plan: Plan }>()
      expectTypeOf(await books.delete(1, { dryRun: true })).toEqualTypeOf<{ plan: Plan }>()
    })
  })

  test('says whether a list is counted', () => {
    compiled(async (store) => {
      const cursor = 'x' as string | undefined
      expectTypeOf((await store.book.list()).count).toEqualTypeOf<number>()
      expectTypeOf((await store.book.list({ count: 100, limit: 5 })).count).toEqualTypeOf<number>()
      expectTypeOf((await store.book.list({ count: 'exact', after: cursor })).count).toEqualTypeOf<number>()
      expectTypeOf((await store.book.list({ count: 'none' })).count).toEqualTypeOf<number | undefined>()
      expectTypeOf((await store.book.list({ after: cursor })).count).toEqualTypeOf<number | undefined>()
      expectTypeOf((await store.book.list({ after: 'x' })).next).toEqualTypeOf<string | undefined>()
      // @ts-expect-error not a way to count
      store.book.list({ count: 'all' })
      // @ts-expect-error no such option
      store.book.list({ counted: 'none' })
      // @ts-expect-error no such field
      store.book.list({ count: 'none', filter: { titel: 'x' } })
    })
  })

  test('replaces a record by what it has read', () => {
    compiled(async (store) => {
      const books = store.resource('book')
      await books.replace(1, await books.find(1))
      await books.patch(1, await books.find(1))
      const categories = store.resource('category')
      await categories.replace(1, await categories.find(1))
    })
  })

  test('reaches owned records through their owner, to any depth', () => {
    compiled((store) => {
      const chapters = store.resource('book').owned(1, 'chapters')
      expectTypeOf(chapters).toEqualTypeOf<Collection<Bookshop, 'chapter'>>()
      expectTypeOf(chapters.owned(2, 'paragraphs')).toEqualTypeOf<Collection<Bookshop, 'paragraph'>>()
      expectTypeOf(store.resource('book').owned(1, 'cover')).toEqualTypeOf<Collection<Bookshop, 'cover'>>()
      // @ts-expect-error a publisher is needed, not owned
      store.resource('book').owned(1, 'publisher')
      // @ts-expect-error a paragraph owns nothing
      chapters.owned(2, 'paragraphs').owned(3, 'paragraphs')
    })
  })

  test('reaches the children of any node of a resource that owns itself', () => {
    compiled((store) => {
      const children = store.resource('category').owned(1, 'categories').owned(2, 'categories')
      expectTypeOf(children).toEqualTypeOf<Collection<Bookshop, 'category'>>()
    })
  })

  test('takes any names and bodies where the model is not known at compile time', () => {
    compiled(async () => {
      const store = {} as Store
      const body: Record<string, unknown> = { title: 'Emma' }
      const created = await store.resource('book').create({ title: 'Emma' })
      expectTypeOf(created.title).toEqualTypeOf<unknown>()
      await store.resource('book').owned(created.id, 'chapters').patch(1, body)
    })
  })

  test('takes no property that is not declared', () => {
    compiled(async (store) => {
      // @ts-expect-error
      await store.resource('series').create({ title: 'Emma', titel: 'Emma' })
      // @ts-expect-error
      await store.resource('series').replace(1, { title: 'Emma', titel: 'Emma' })
      // @ts-expect-error
      await store.resource('series').patch(1, { titel: 'Emma' })
      // @ts-expect-error
      await store.resource('series').list({ limit: 1, ofset: 1 })
    })
  })
})
