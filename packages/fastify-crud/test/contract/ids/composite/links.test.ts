import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, neededBy, needs } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const code = Type.String({ maxLength: 20 })

const model = defineResources({
  book: {
    id: ['isbn'],
    fields: { isbn: code, title: Type.String() },
    relations: {
      authors: needs.many('author'),
      editors: needs.many('editor'),
      tags: knows.many('tag'),
      sequels: knows.many('book'),
    },
  },
  author: { id: ['code'], fields: { code }, relations: { books: neededBy.many('book') } },
  editor: { id: ['code'], fields: { code }, relations: { books: neededBy.one('book') } },
  tag: { id: ['day'], fields: { day: Type.String({ format: 'date' }) } },
}) as Model

const refs = (...ids: string[]) => ids.map((id) => ({ id }))
const idsOf = (records: JsonBody[]) => records.map(({ id }) => id)

describeOnBoth('links of records whose id is one of their members', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'] as const
  let book: JsonBody
  let path: string

  beforeEach(async () => {
    for (const one of ['a', 'b', 'c']) {
      await service.add('/api/author', { code: one })
      await service.add('/api/editor', { code: one })
    }
    for (const day of days) await service.add('/api/tag', { day })
    book = await service.add('/api/book', {
      ...{ isbn: '1', title: 't', authors: refs('b', 'a'), editors: refs('a') },
      tags: refs(days[1], days[0]),
    })
    path = `/api/book/${book.id}`
  })

  test('are answered in the order of the ids, and PUT back without a write', async () => {
    expect(idsOf(book.authors)).toEqual(['a', 'b'])
    expect(book.tags).toEqual([
      { id: days[0], day: days[0] },
      { id: days[1], day: days[1] },
    ])
    expect(await service.put(path, book)).toMatchObject({ status: 200, body: book })
  })

  test('are added by PATCH and set by PUT; a link that stays keeps its other columns', async () => {
    await sql`alter table book_authors add column since integer default 0`.execute(service.db)
    try {
      await sql`update book_authors set since = 7 where "authorId" = 'b'`.execute(service.db)
      const added = await service.patch(path, { authors: refs('c'), tags: [] })
      expect([idsOf(added.body.authors), idsOf(added.body.tags)]).toEqual([['a', 'b', 'c'], days.slice(0, 2)])
      const put = await service.put(path, { ...book, authors: refs('b', 'c'), tags: refs(days[2]) })
      expect([idsOf(put.body.authors), idsOf(put.body.tags)]).toEqual([['b', 'c'], [days[2]]])
      const { rows } = await sql`select "authorId", since from book_authors order by 1`.execute(service.db)
      expect(rows).toEqual([
        { authorId: 'b', since: 7 },
        { authorId: 'c', since: 0 },
      ])
    } finally {
      await sql`alter table book_authors drop column since`.execute(service.db)
    }
  })

  test('that a record needs are at least one, each once, and name records that are there', async () => {
    const { authors: _, ...without } = book
    await service.refuse('PUT', path, without, { ...invalid, pointers: ['/authors'] })
    await service.refuse('PUT', path, { ...book, authors: [] }, { ...invalid, pointers: ['/authors'] })
    await service.refuse('PATCH', path, { authors: refs('a', 'a') }, { ...invalid, pointers: ['/authors/1/id'] })
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/authors/1/id'] } as const
    await service.refuse('PATCH', path, { authors: refs('a', 'x') }, unknown)
    await service.refuse('POST', '/api/book', { ...book, isbn: '2', id: '2', authors: refs('a', 'x') }, unknown)
    await service.refuse('PATCH', path, { tags: [{ id: 1 }] }, { ...invalid, pointers: ['/tags/0/id'] })
  })

  test('that another record has alone are 409 for a second one', async () => {
    const body = { isbn: '2', title: 'u', authors: refs('a'), editors: refs('b', 'a') }
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/editors/1/id'] } as const
    await service.refuse('POST', '/api/book', body, taken)
    await service.add('/api/book', { ...body, editors: refs('b') })
    expect((await service.put(path, { ...book, editors: refs('c') })).status).toBe(200)
    expect((await service.patch('/api/book/2', { editors: refs('a') })).body.editors).toHaveLength(2)
  })

  test('keep what is needed, and go with what is known', async () => {
    const needed = await service.refuse('DELETE', '/api/author/a', undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect(needed.blockers).toEqual([{ resource: 'book', relation: 'authors', count: 1 }])
    expect((await service.delete('/api/author/c')).status).toBe(204)
    expect((await service.delete(`/api/tag/${days[0]}`)).status).toBe(204)
    expect(idsOf((await service.read(path)).tags)).toEqual([days[1]])
    expect((await service.patch(path, { sequels: refs('1') })).body.sequels).toEqual([
      { id: '1', isbn: '1', title: 't' },
    ])
    expect((await service.delete(path)).status).toBe(204)
    const left = await service.snapshot(['book_authors', 'book_editors', 'book_tags', 'book_sequels'])
    expect(Object.values(left).flat()).toEqual([])
  })
})
