import { expect, test } from 'vitest'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { foldsAllLetters } from './support/database-can.ts'
import { idOf } from './support/fill-books.ts'
import { asQuery } from './support/spellings.ts'
import { expectTitles, type QueryStore, useBooks } from './support/use-books.ts'
import { nextLink } from './support/walk.ts'
import { asciiLower, simpleLower, words } from './support/words.ts'

/** So many words in so many fields cost more than the default. */
const options = { plugin: { limits: { maxCost: 200 } } }

describeOnDatabases('a search', (database) => {
  const books = useBooks(database, options)

  const parts = [
    ...['a', 'AB', 'É', 'ẞ', 'İ', 'ı', 'Σ', 'K', '\u212a', '😀', '\u{10ffff}', '\ufffd', 'null', 'NULL'],
    ...['%', '_', '\\', 'a%', '*', '?', '[', "'", '"', '""', '-', 'OR', 'a OR b', 'a*', '^a', 'nobody', 'tie', 'zeb'],
    ...['a b', 'b a', 'A a', '  a  ', 'a\tb', 'a\u00a0b', 'a\u3000b', '\na', 'a a a a a a a a'],
  ]

  test('finds the records in which each word is a part of a text, whatever its case and its characters', async () => {
    const lower = (await foldsAllLetters(database, books.service.db)) ? simpleLower : asciiLower
    for (const search of parts) {
      const given = search.split(/\s+/).filter((word) => word !== '')
      const found = words.filter((text) => text !== null && given.every((word) => lower(text).includes(lower(word))))
      expect(await books.values(`/api/word?${asQuery({ search })}&limit=100`, 'text'), search).toEqual(found)
    }
  })

  test('finds each word in any of the fields, and each in another record behind a relation to several', async () => {
    await expectTitles(books, 'search=amber', ['Amber', 'Birch'])
    await expectTitles(books, 'search=amb+bo', ['Birch'])
    await expectTitles(books, 'search=green+blue', ['Elder'])
    await expectTitles(books, 'search=gre+blue+ada+bo+WORDS+dog', ['Elder'])
    await expectTitles(books, 'search=bern+lost', [])
    await expectTitles(books, 'search=out', ['Amber', 'Elder', 'Hazel'])
    await expectTitles(books, 'search=cy', ['Gorse'])
  })

  test('goes with a filter, a sort, a count and a page', async () => {
    await expectTitles(books, 'search=red&sort=-title&filter[price][gte]=0', ['Elder', 'Birch', 'Amber'])
    const page = await books.service.read('/api/book?search=red&sort=-title&limit=1&offset=1&count=2&fields=title')
    expect(page).toMatchObject({ rows: [{ title: 'Elder' }], count: 2, countIs: 'atLeast' })
  })

  test('is there in a list of what a record owns', async () => {
    const path = (title: string) => `/api/book/${idOf(books.ids.book, title)}/chapter?sort=place&search`
    expect(await books.values(`${path('Amber')}=why`, 'title')).toEqual(['Start'])
    expect(await books.values(`${path('Amber')}=red+e`, 'title')).toEqual(['Start', 'End'])
    expect(await books.values(`${path('Gorse')}=red`, 'title')).toEqual([])
    await books.service.refuse('GET', '/api/book/999999/chapter?search=a', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})

describeOnBoth('a search', (database) => {
  const books = useBooks(database, options)

  test('of more than 8 words, or of none, is refused', async () => {
    expect(await books.titles('search=a+a+a+a+a+a+a+a')).not.toEqual([])
    await books.refused('search=a+b+c+d+e+f+g+h+longer', "search: has more than 8 words, from 'longer' on")
    for (const query of ['search=', 'search', 'search=+', 'search=%09%0a'])
      await books.refused(query, 'search: has no word')
    await books.refused('search=a&search=b', 'search')
    await books.refused('search=%00', 'search')
  })

  test('is an unknown parameter where the resource has none, and for a single record and a nested array', async () => {
    for (const path of ['/api/tag?search=red', `/api/book/${idOf(books.ids.book, 'Amber')}?search=a`])
      await books.refusedAt(path, "there is no query parameter 'search'")
    const unknown = await books.service.get('/api/tag?serach=red')
    const { body } = await books.service.get('/api/tag?search=red')
    expect(JSON.stringify(body).replaceAll('search', 'serach')).toBe(JSON.stringify(unknown.body))
    await books.refused('nested[chapters][search]=a', 'search')
    await books.refusedAt('/api/book/$group?search=a', "there is no query parameter 'search'")
  })

  test('of eight words in all fields is answered, if it may cost so much', async () => {
    const search = 'green blue ada bo words dog out eld'
    expect(await books.titles(asQuery({ search }))).toEqual(['Elder'])
  })

  test('is kept by the link to the next page, whose cursor holds for no other search', async () => {
    const first = '/api/book?search=a+re&limit=2&sort=-title'
    const answer = await books.service.get(first)
    const next = nextLink(answer, first) as string
    expect(next).toContain('search=a+re')
    const all = await books.titles('search=a+re&sort=-title')
    const titlesOf = (rows: { title: string }[]) => rows.map(({ title }) => title)
    expect(titlesOf(answer.body.rows)).toEqual(all.slice(0, 2))
    expect(titlesOf((await books.service.read(next)).rows)).toEqual(all.slice(2, 4))
    const words = ['', '&search=a', '&search=A+re', '&search=a+red']
    for (const other of words) await books.refused(`limit=2&sort=-title${other}&after=${answer.body.next}`, 'search')
  })

  test('is in the store, also in a list of what a record owns', async () => {
    const titlesIn = async (store: QueryStore, query: object) =>
      (await store.list(query)).rows.map(({ title }: { title: string }) => title)
    const store = books.store('book') as QueryStore & { owned(id: number, relation: string): QueryStore }
    expect(await titlesIn(store, { search: 'amb bo', filter: { price: 10 } })).toEqual(['Birch'])
    expect(await titlesIn(store.owned(idOf(books.ids.book, 'Amber'), 'chapters'), { search: 'how' })).toEqual(['Start'])
    for (const search of [5, null, ['a'], {}, '', '\0', '\ud800'])
      await expect(store.list({ search }), String(search)).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
    await expect(books.store('tag').list({ search: 'a' })).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
  })
})
