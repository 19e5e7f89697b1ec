import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { comparesDecimals } from './support/database-can.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'
import { after, nextLink, pagesOf, rowsOf } from './support/walk.ts'

const sorts = [
  'id',
  '-id',
  'title',
  '-title',
  'price',
  '-price',
  'pages',
  '-isNew',
  'isNew',
  'state',
  '-publishedOn',
  'soldAt',
  '-soldAt',
  'publisherId',
  'price,pages',
  '-price,pages',
  'price,-pages',
  '-isNew,-price',
  'isNew,-state,price,-pages',
  'series.name',
  '-series.name',
  'publisher.name,-price',
  '-cover.color,price',
  'prequel.prequel.title,-publishedOn',
  'count(tags)',
  '-count(chapters),title',
  '-lower(comment),pages',
]

describeOnBoth('a cursor', (database) => {
  const books = useBooks(database)
  const { service } = books
  const get = (path: string) => service.get(path)

  for (const sort of [...sorts, ...(comparesDecimals(database) ? ['cost', '-cost,title'] : [])]) {
    test(`leads through all pages, each record once: sort=${sort}`, async () => {
      const { rows } = await service.read(`/api/book?sort=${sort}`)
      for (const limit of [1, 3]) expect(await rowsOf(get, `/api/book?sort=${sort}&limit=${limit}`)).toEqual(rows)
    })
  }

  for (const sort of ['text', '-text', 'lower(text)', '-lower(text)']) {
    test(`leads through strings of all kinds, ties and nulls: sort=${sort}`, async () => {
      const { rows } = await service.read(`/api/word?sort=${sort}&limit=100`)
      for (const limit of [1, 7]) expect(await rowsOf(get, `/api/word?sort=${sort}&limit=${limit}`)).toEqual(rows)
    })
  }

  test('needs no sort: the records then go by id', async () => {
    const { rows } = await service.read('/api/book')
    expect(await rowsOf(get, '/api/book?limit=3')).toEqual(rows)
  })

  test('is there while there is more', async () => {
    const lengths = async (limit: number) =>
      (await pagesOf(get, `/api/book?limit=${limit}`)).map(({ rows }) => rows.length)
    expect(await lengths(3)).toEqual([3, 3, 2])
    expect(await lengths(4)).toEqual([4, 4])
    expect(await lengths(8)).toEqual([8])
    expect(await lengths(100)).toEqual([8])
    expect(await service.read('/api/book?filter[price]=11')).not.toHaveProperty('next')
    expect((await service.read('/api/book?limit=1')).next).toEqual(expect.any(String))
    expect((await service.read('/api/book?limit=1&offset=6')).next).toEqual(expect.any(String))
    expect(await service.read('/api/book?limit=1&offset=7')).not.toHaveProperty('next')
  })

  test('goes with filters, in both spellings, and through relations', async () => {
    for (const filter of [
      'filter[price][gte]=0',
      'filter[chapters.title]=Start',
      jsonFilter({ or: [{ 'publisher.name': 'Paper' }, { tags: { none: {} } }] }),
    ]) {
      const { rows } = await service.read(`/api/book?${filter}&sort=-price`)
      expect(await rowsOf(get, `/api/book?${filter}&sort=-price&limit=1`)).toEqual(rows)
    }
  })

  test('goes with fields and include', async () => {
    const query = 'sort=-pages&fields=title,count(tags)'
    const { rows } = await service.read(`/api/book?${query}`)
    expect(await rowsOf(get, `/api/book?${query}&limit=3`)).toEqual(rows)
    const included = await service.read('/api/publisher?include=books&sort=-city')
    expect(await rowsOf(get, '/api/publisher?include=books&sort=-city&limit=1')).toEqual(included.rows)
  })

  test('leads through what a record owns, and through the roots of trees', async () => {
    const path = `/api/book/${idOf(books.ids.book, 'Elder')}/chapter?sort=-place`
    expect(await rowsOf(get, `${path}&limit=1`)).toEqual((await service.read(path)).rows)
    const { rows } = await service.read('/api/category?sort=-count(categories)')
    expect(await rowsOf(get, '/api/category?sort=-count(categories)&limit=1')).toEqual(rows)
  })

  test('leaves the count out, unless it is asked for', async () => {
    const { next } = await service.read('/api/book?limit=3')
    expect(await service.read(after('/api/book?limit=3', next))).not.toHaveProperty('count')
    expect((await service.read(after('/api/book?limit=3&count=exact', next))).count).toBe(8)
    expect(await service.read(after('/api/book?limit=3&count=2', next))).toMatchObject({ countIs: 'atLeast' })
  })

  test('is in a Link header, which keeps the query', async () => {
    const query = 'filter[price][gte]=0&sort=-price,title&fields=title&limit=2&count=none'
    const { rows } = await service.read('/api/book?filter[price][gte]=0&sort=-price,title&fields=title')
    const walked: unknown[] = []
    let path: string | undefined = `/api/book?${query}`
    while (path !== undefined && walked.length < 20) {
      const answer = await service.get(path)
      walked.push(...answer.body.rows)
      path = nextLink(answer, path)
      const { searchParams, pathname } = new URL(`http://localhost${path ?? `/api/book?${query}`}`)
      searchParams.delete('after')
      expect([pathname, [...searchParams].sort()]).toEqual(['/api/book', [...new URLSearchParams(query)].sort()])
      expect(path !== undefined).toBe(answer.body.next !== undefined)
    }
    expect(walked).toEqual(rows)
  })

  test('leads on with another limit, other fields or another count', async () => {
    const { next } = await service.read('/api/book?sort=title&limit=2')
    const { rows } = await service.read(after('/api/book?sort=title&limit=3&fields=title&count=none', next))
    expect(rows.map(({ title }: { title: string }) => title)).toEqual(['Cedar', 'Dogwood', 'Elder'])
  })

  test('serves the store, too', async () => {
    const titles: string[] = []
    let page = await books.store('book').list({ sort: ['-price'], limit: 3 })
    for (let pages = 0; pages < 3; pages++) {
      titles.push(...page.rows.map(({ title }: { title: string }) => title))
      if (page.next !== undefined) {
        page = await books.store('book').list({ sort: ['-price'], limit: 3, after: page.next })
      }
    }
    expect(titles).toEqual(await books.titles('sort=-price'))
    expect(page).not.toHaveProperty('next')
  })
})

describeOnBoth('a cursor that does not fit', (database) => {
  const books = useBooks(database)
  const cursorOf = async (path: string) => (await books.service.read(path)).next as string

  test('is 400 with another query or on another route', async () => {
    const next = await cursorOf('/api/book?sort=-price&filter[price][gte]=0&limit=2')
    for (const path of [
      '/api/book',
      '/api/book?sort=-price',
      '/api/book?filter[price][gte]=0',
      '/api/book?sort=price&filter[price][gte]=0',
      '/api/book?sort=-price,title&filter[price][gte]=0',
      '/api/book?sort=-price&filter[price][gte]=1',
      '/api/book?sort=-price&filter[price][gt]=0',
      '/api/book?sort=-price&filter[pages][gte]=0',
    ]) {
      await books.refusedAt(after(path, next), 'after')
    }
    const ofTags = await cursorOf('/api/tag?sort=name&limit=1')
    for (const resource of ['author', 'series', 'publisher']) {
      await books.refusedAt(after(`/api/${resource}?sort=name`, ofTags), 'after')
    }
  })

  test('is 400 with an offset', async () => {
    const next = await cursorOf('/api/book?limit=2')
    for (const offset of [0, 2]) await books.refusedAt(after(`/api/book?limit=2&offset=${offset}`, next), 'offset')
  })

  test('is 400 if it is broken, and never fails', async () => {
    const path = '/api/book?sort=-price,title&limit=2'
    const next = await cursorOf(path)
    for (const broken of ['', 'x', 'null', '{}', '[]', '😀', next.slice(1), next.slice(0, -5), `${next}${next}`]) {
      await books.refusedAt(after(path, broken), 'after')
    }
    await books.refusedAt(after(after(path, next), next), 'after')
    for (let at = 0; at < next.length; at++) {
      const changed = `${next.slice(0, at)}${next[at] === 'A' ? 'B' : 'A'}${next.slice(at + 1)}`
      expect((await books.service.get(after(path, changed))).status, changed).toBeLessThan(500)
    }
  })

  test('is 400 for a single record', () => books.refusedAt(`/api/book/${idOf(books.ids.book, 'Fir')}?after=x`, 'after'))
})
