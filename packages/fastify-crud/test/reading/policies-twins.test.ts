import { expect, test } from 'vitest'
import type { Answer } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { caller } from '../policies/support/as-caller.ts'
import { books } from './support/books.ts'
import { expectNoTrace } from './support/expect-no-trace.ts'
import { type BookIds, idOf } from './support/fill-books.ts'
import { fillWithHidden, noZebras } from './support/hidden-books.ts'
import { asQuery, jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'
import { useFilledApp } from './support/use-filled-app.ts'
import { after } from './support/walk.ts'

const zebra = /zebra/i

const filters = [
  { 'tags.name': { startsWith: 'zebra' } },
  { 'tags.name': { contains: 'e' } },
  { tags: { none: {} } },
  { tags: { every: { name: 'red' } } },
  { tags: { none: { name: { ne: 'red' } } } },
  { not: { tags: { some: { name: { ne: 'red' } } } } },
  { authors: { every: { name: { in: ['Ada', 'Bo'] } } } },
  { authors: { some: { not: { name: { in: ['Ada', 'Bo', 'Cy'] } } } } },
  { chapters: { none: {} } },
  { chapters: { some: { place: { lt: 0 } } } },
  { chapters: { every: { title: 'Start' } } },
  { chapters: { every: { remarks: { none: {} } } } },
  { 'chapters.remarks.text': 'why' },
  { not: { 'chapters.remarks.text': 'why' } },
  { 'publisher.books.price': 7 },
  { 'publisher.books.cover.color': 'zebra' },
  { 'publisher.books.chapters.place': 9 },
  { price: 7 },
  { price: { ne: 10 } },
  { not: { title: { startsWith: 'A' } } },
  { title: { gt: 'z' } },
]

const bookQueries = [
  '',
  ...filters.map((filter) => jsonFilter(filter)),
  'sort=-count(tags)',
  'sort=count(chapters),-title',
  'sort=-count(authors)',
  'sort=-title&limit=2',
  'sort=-lower(title)&limit=3&offset=4',
  'fields=title,count(tags),count(chapters),count(authors)',
  'fields=chapters.title,tags.name,authors.name',
  'include=publisher.books,authors.books',
  'include=publisher.books&nested[publisher.books][limit]=1',
  'include=-tags',
  'count=7',
  'count=8',
  'count=none&limit=1',
]

const searches = [
  ...['zebra', 'ZEBRA', 'e', 'b', 'red z', 'zebra ada', 'Start', 'ulm', 'grey', 'a&sort=-title&limit=2', 'o&count=2'],
].map((search) => `search=${search.replace(' ', '+')}`)

const otherPaths = [
  '/api/publisher?include=books',
  '/api/publisher?include=books&nested[books][sort]=-price&nested[books][limit]=2',
  `/api/publisher?include=books&${asQuery({ 'nested[books][filter]': { price: { lt: 10 } } })}`,
  '/api/publisher?sort=-count(books)',
  '/api/publisher?fields=name,count(books)',
  `/api/publisher?${jsonFilter({ books: { none: {} } })}`,
  `/api/publisher?${jsonFilter({ books: { every: { price: { ne: 7 } } } })}`,
  '/api/publisher?filter[books.cover.color]=zebra',
  `/api/author?${jsonFilter({ books: { none: {} } })}`,
  '/api/author?include=books,books.tags&sort=count(books)',
  '/api/tag?sort=-name',
  '/api/category?include=-categories&sort=-count(categories)',
  `/api/category?${jsonFilter({ categories: { none: {} } })}`,
  '/api/category?filter[categories.categories.name]=Noir',
  `/api/category?${jsonFilter({ 'categories.name': { startsWith: 'zebra' } })}`,
  '/api/quote?filter[chapter.book.publisher.books.price]=7',
  ...['zebra', 'book', 'amber'].map((word) => `/api/quote?search=${word}`),
  ...['zebra', 'noir', 'n'].map((word) => `/api/category?search=${word}`),
]

const having = encodeURIComponent(JSON.stringify({ 'count()': { lte: 1 } }))
const groups = [
  '/api/book/$group',
  '/api/book/$group?by=price&values=count(),min(title),max(title)',
  '/api/book/$group?by=series.name,publisher.name',
  '/api/book/$group?by=publisherId&values=count(),countDistinct(seriesId),max(price)',
  '/api/book/$group?by=cover.color&values=count(),max(cover.color)',
  `/api/book/$group?by=price&having=${having}&count=3`,
  '/api/book/$group?filter[price]=7',
  '/api/book/$group?by=state&filter[tags.name][startsWith]=zebra',
]

const pathsBelow = ({ book }: BookIds) => [
  `/api/book/${idOf(book, 'Amber')}/chapter?sort=place`,
  `/api/book/${idOf(book, 'Amber')}/chapter?sort=place&limit=1`,
  `/api/book/${idOf(book, 'Amber')}/chapter?filter[place][lt]=2`,
  `/api/book/${idOf(book, 'Amber')}/chapter?filter[book.tags.name][startsWith]=zebra`,
  ...['zebra', 'wh', 'red'].map((word) => `/api/book/${idOf(book, 'Amber')}/chapter?search=${word}`),
  `/api/book/${idOf(book, 'Amber')}?include=publisher.books`,
  `/api/book/${idOf(book, 'Amber')}?fields=count(tags),count(chapters)`,
]

describeOnBoth('rows outside of View', (database) => {
  const bare = useBooks(database)
  let ids = {} as BookIds
  const guarded = useFilledApp(database, books, { plugin: { caller, policies: noZebras } }, async (db) => {
    ids = await fillWithHidden(db)
  })

  /** The answer, which must be that of a service without the hidden rows; a cursor may be another one. */
  async function expectSame(path: string): Promise<void> {
    const [answer, expected] = [await guarded.get(path), await bare.service.get(path)]
    expect(expected.status, JSON.stringify(expected.body)).toBe(200)
    expect(withoutNext(answer), path).toEqual(withoutNext(expected))
    expectNoTrace({ ...answer, headers: {} }, zebra)
  }
  const withoutNext = ({ status, body }: Answer) => {
    const { next, ...others } = body
    return { status, body: others, hasNext: next !== undefined }
  }

  for (const query of [...bookQueries, ...searches]) {
    test(`change nothing in a list of books: ${decodeURIComponent(query)}`, () => expectSame(`/api/book?${query}`))
  }

  for (const path of [...otherPaths, ...groups])
    test(`change nothing in ${decodeURIComponent(path)}`, () => expectSame(path))

  test('change nothing below a record, and in single ones', async () => {
    for (const path of pathsBelow(ids)) await expectSame(path)
  })

  for (const path of [
    '/api/book?sort=-title',
    '/api/book?sort=price,title',
    '/api/book?sort=-count(tags)',
    '/api/publisher?sort=-count(books)',
  ]) {
    test(`change nothing in the pages behind cursors, and are in no cursor: ${path}`, async () => {
      const { rows } = await bare.service.read(`${path}&limit=100`)
      const seen: unknown[] = []
      let next: string | undefined
      do {
        const page = `${path}&limit=2`
        const answer = await guarded.get(next === undefined ? page : after(page, next))
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        expectNoTrace(answer, zebra)
        seen.push(...answer.body.rows)
        next = answer.body.next
      } while (next !== undefined && seen.length < 100)
      expect(seen).toEqual(rows)
    })
  }
})

test('the search for traces finds them as they are, percent-encoded and in Base64', () => {
  const inBase64 = Buffer.from('["a zebra",5]').toString('base64url')
  for (const next of ['a zebra', inBase64, `v1.${inBase64}.x`, `5-${inBase64}`, `x${inBase64}`]) {
    const answer = { status: 200, headers: { link: `</api/book?after=${encodeURIComponent(next)}>` }, body: {} }
    expect(() => expectNoTrace(answer, zebra), next).toThrow()
  }
  expect(() => expectNoTrace({ status: 200, headers: {}, body: '%7aebra' }, zebra)).toThrow()
  expect(() => expectNoTrace({ status: 200, headers: {}, body: { next: 'horse' } }, zebra)).not.toThrow()
})
