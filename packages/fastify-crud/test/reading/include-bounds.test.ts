import { expect, test } from 'vitest'
import type { AppOptions } from '../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { books } from './support/books.ts'
import { useFilledApp } from './support/use-filled-app.ts'

const titles = Array.from({ length: 45 }, (_, n) => `book ${n}`)

/** One publisher of many books, each with 30 chapters of one author. */
async function fillMany(db: TestKysely): Promise<void> {
  const name = 'Ink'
  const { id } = await db.insertInto('publisher').values({ name }).returning('id').executeTakeFirstOrThrow()
  await db.insertInto('author').values({ name: 'Ada' }).execute()
  const rows = titles.map((title) => ({ title, publisherId: id }))
  await db.insertInto('book').values(rows).execute()
  const book = await db.selectFrom('book').select('id').where('title', '=', 'book 0').executeTakeFirstOrThrow()
  const chapters = Array.from({ length: 30 }, (_, place) => ({ title: 'c', place, bookId: book.id }))
  await db.insertInto('chapter').values(chapters).execute()
}

const useMany = (kind: TestDatabase, options: AppOptions = {}) => useFilledApp(kind, books, options, fillMany)

describeOnBoth('the bounds of arrays', (database) => {
  const service = useMany(database)
  const shown = async (query: string) => (await service.read(`/api/publisher?include=books${query}`)).rows[0].books

  test('are 20 rows for one that `include` adds', async () => {
    expect((await shown('')).map(({ title }: { title: string }) => title)).toEqual(titles.slice(0, 20))
  })

  test('are what `nested` says, up to 1,000', async () => {
    expect(await shown('&nested[books][limit]=3')).toHaveLength(3)
    expect(await shown('&nested[books][limit]=40')).toHaveLength(40)
    expect(await shown('&nested[books][limit]=1000')).toHaveLength(45)
  })

  test('are none for one that a record carries by itself', async () => {
    const { rows } = await service.read('/api/book?limit=1')
    expect(rows[0].chapters).toHaveLength(30)
    expect((await service.read(`/api/book/${rows[0].id}?include=publisher.books`)).chapters).toHaveLength(30)
  })

  test('are 100,000 rows in all: those of the page, times those of the arrays along a path', async () => {
    const path = '/api/publisher?include=books,books.authors,books.authors.books'
    expect((await service.get(`${path}&limit=12`)).status).toBe(200)
    const refused = await service.get(`${path}&limit=13`)
    expectProblem(refused, { code: 'CRUD_ERR_TOO_LARGE', parameters: ['include'] })
    expect(refused.body.errors[0].message).toContain('books.authors.books')
    const [{ id }] = (await service.read('/api/publisher?limit=1')).rows
    const single = path.replace('publisher?', `publisher/${id}?`)
    expect((await service.get(single)).status).toBe(200)
    expect((await service.get('/api/publisher?include=books&limit=100&nested[books][limit]=1000')).status).toBe(200)
    const above = 'include=books,books.authors&limit=100&nested[books][limit]=1000&nested[books.authors][limit]=2'
    expect((await service.get(`/api/publisher?${above}`)).status).toBe(400)
  })
})

describeOnBoth('limits.maxNested and limits.maxRows', (database) => {
  const limits: object = { maxNested: 30, maxRows: 100 }
  const service = useMany(database, { plugin: { limits } })

  test('set the bounds', async () => {
    const status = async (query: string) => (await service.get(`/api/publisher?include=books&${query}`)).status
    expect(await status('limit=3&nested[books][limit]=30')).toBe(200)
    expect(await status('limit=1&nested[books][limit]=31')).toBe(400)
    expect(await status('limit=5')).toBe(200)
    expect(await status('limit=6')).toBe(400)
    expect(await status('limit=10&nested[books][limit]=10')).toBe(200)
  })
})
