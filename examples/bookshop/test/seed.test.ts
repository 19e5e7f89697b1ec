import { checkTables } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resources } from '../src/resources.ts'
import { seed } from '../src/seed.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop } from './open-shop.ts'

describeInShop('the seed of the bookshop', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database)
  })
  afterAll(() => open.close())

  test('the tables are those of the model', async () => {
    expect(await checkTables(open.db, resources)).toEqual([])
  })

  test('fills every resource but the audit trail', async () => {
    const { shop } = open
    const keys = [
      'publisher',
      'author',
      'book',
      'series',
      'category',
      'tag',
      'contract',
      'boxSet',
      'customer',
      'order',
      'audit',
    ] as const
    const counts = await Promise.all(
      keys.map(async (key) => [key, (await shop.resource(key).list({ limit: 1 })).count]),
    )
    expect(Object.fromEntries(counts)).toEqual({
      publisher: 4,
      author: 18,
      book: 32,
      series: 5,
      category: 4,
      tag: 20,
      contract: 12,
      boxSet: 4,
      customer: 30,
      order: 75,
      audit: 0,
    })
  })

  test('is left alone when there is something', async () => {
    expect(await seed(open.shop)).toBe(false)
  })

  test('every book can be put as it was got', async () => {
    const { rows } = await open.shop.resource('book').list({ limit: 100 })
    for (const book of rows) expect(await open.shop.resource('book').replace(book.id, book)).toEqual(book)
  })

  test('has every relation at least once', async () => {
    const { shop } = open
    const books = (await shop.resource('book').list({ limit: 100 })).rows
    expect(books.every((book) => book.authors.length > 0 && book.publisher.id === book.publisherId)).toBe(true)
    expect(books.some((book) => book.chapters.some((chapter) => chapter.footnotes.length > 1))).toBe(true)
    expect(books.some((book) => book.series !== null && book.tags.length > 0 && book.related.length > 0)).toBe(true)
    const publishers = (await shop.resource('publisher').list({ limit: 100 })).rows
    expect(publishers.every((publisher) => publisher.headquartersId === publisher.offices[0]?.id)).toBe(true)
    const authors = (await shop.resource('author').list({ limit: 100 })).rows
    expect(new Set(authors.map((author) => author.portrait === null))).toEqual(new Set([true, false]))
  })
})
