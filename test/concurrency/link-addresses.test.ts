import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'

const ROUNDS = 4
const name = Type.String()

const model = defineResources({
  tag: { fields: { name } },
  book: {
    fields: { name },
    relations: { tags: knows.many('tag'), topics: needs.many('tag'), chapters: owns.many('chapter') },
  },
  chapter: { fields: { name }, relations: { book: ownedBy('book'), topics: needs.many('tag') } },
})

describeServersOnDatabases('one link, by many at the same time', (database) => {
  const servers = useServers(database, model)

  async function addAll() {
    const tags: number[] = []
    for (const one of ['a', 'b', 'c']) tags.push((await servers.one.add('/api/tag', { name: one })).id)
    const topics = tags.slice(0, 2).map((id) => ({ id }))
    const book = await servers.one.add('/api/book', { name: 'b', topics, chapters: [{ name: 'c', topics }] })
    return { tags, path: `/api/book/${book.id}`, chapter: `/api/book/${book.id}/chapter/${book.chapters[0].id}` }
  }

  test('PUT and DELETE: all are 204, and it is there once or not at all', async () => {
    const { tags, path } = await addAll()
    const link = `${path}/tags/${tags[0]}`
    for (let round = 0; round < ROUNDS; round++) {
      const added = await servers.atOnce(...Array.from({ length: 6 }, (): Request => ['PUT', link]))
      expect(added.map(resultOf)).toEqual(Array(6).fill('204'))
      expect((await servers.one.read(`${path}/tags`)).count).toBe(1)
      const mixed = await servers.atOnce(
        ...Array.from({ length: 6 }, (_, n): Request => [n % 2 ? 'PUT' : 'DELETE', link]),
      )
      expect(mixed.map(resultOf)).toEqual(Array(6).fill('204'))
      const removed = await servers.atOnce(...Array.from({ length: 6 }, (): Request => ['DELETE', link]))
      expect(removed.map(resultOf)).toEqual(Array(6).fill('204'))
      expect((await servers.one.read(`${path}/tags`)).count).toBe(0)
    }
  })

  test('DELETE of the last two that are needed: one is 409, and one is left', async () => {
    const { tags, path, chapter } = await addAll()
    for (const of of [path, chapter]) {
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await servers.atOnce(
          ['DELETE', `${of}/topics/${tags[0]}`],
          ['DELETE', `${of}/topics/${tags[1]}`],
        )
        expect(answers.map(resultOf).sort()).toEqual(['204', '409 CRUD_ERR_STILL_NEEDED'])
        expect((await servers.one.read(`${of}/topics`)).count).toBe(1)
        for (const id of tags.slice(0, 2)) await servers.one.request('PUT', `${of}/topics/${id}`)
      }
    }
  })

  test('PUT and the DELETE of the record at the other end, or of its own: no link is left alone', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { tags, path } = await addAll()
      const [put, deleted] = await servers.atOnce(['PUT', `${path}/tags/${tags[2]}`], ['DELETE', `/api/tag/${tags[2]}`])
      expect(['204', '404 CRUD_ERR_NOT_FOUND']).toContain(resultOf(put))
      expect(resultOf(deleted)).toBe('204')
      expect((await servers.one.read(`${path}/tags`)).rows).toEqual([])
      const [again, gone] = await servers.atOnce(['PUT', `${path}/tags/${tags[0]}`], ['DELETE', path])
      expect(['204', '404 CRUD_ERR_NOT_FOUND']).toContain(resultOf(again))
      expect(resultOf(gone)).toBe('204')
    }
    expect(await servers.one.snapshot(['book_tags', 'book_topics'])).toEqual({ book_tags: [], book_topics: [] })
  })
})
