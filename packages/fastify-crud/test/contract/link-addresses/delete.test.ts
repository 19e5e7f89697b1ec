import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { largeIds, missingId, noIdInPath } from '../../../../../test/support/test-ids.ts'
import { bookshop } from './bookshop.ts'

describeOnBoth('DELETE of a link', (database) => {
  const service = useApp(database, bookshop)
  let [ann, ben]: JsonBody[] = []
  let [red, blue]: JsonBody[] = []
  let book: JsonBody
  let path: string

  beforeEach(async () => {
    ann = await service.add('/api/author', { name: 'Ann' })
    ben = await service.add('/api/author', { name: 'Ben' })
    red = await service.add('/api/tag', { word: 'red' })
    blue = await service.add('/api/tag', { word: 'blue' })
    const [authors, tags] = [
      [{ id: ann?.id }, { id: ben?.id }],
      [{ id: red?.id }, { id: blue?.id }],
    ]
    book = await service.add('/api/book', { title: 'A', authors, tags, chapters: [{ title: 'one' }] })
    path = `/api/book/${book.id}`
  })

  const remove = (at: string) => service.delete(`${path}/${at}`)

  test('removes it, and leaves all others, and both records', async () => {
    const answer = await remove(`tags/${red?.id}`)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(await service.read(path)).toEqual({ ...book, tags: book.tags.slice(1) })
    expect(await service.read(`/api/tag/${red?.id}`)).toEqual(red)
  })

  test('is 204 also where there is none, whatever the id', async () => {
    await remove(`tags/${red?.id}`)
    const before = await service.snapshot()
    for (const id of [red?.id, missingId('tag'), ...largeIds('tag')]) {
      expect((await remove(`tags/${id}`)).status).toBe(204)
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('of a record that is not there is 404', async () => {
    for (const id of [missingId('book'), ...largeIds('book')]) {
      const of = `/api/book/${id}/tags/${red?.id}`
      await service.refuse('DELETE', of, undefined, { code: 'CRUD_ERR_NOT_FOUND', detail: /no book/ })
    }
    await service.refuse('DELETE', `${path}/tags/${noIdInPath}`, undefined, {
      code: 'CRUD_ERR_INVALID',
      parameters: ['tag_id'],
    })
  })

  test('of the last one that is needed is 409', async () => {
    expect((await remove(`authors/${ann?.id}`)).status).toBe(204)
    const refused = { code: 'CRUD_ERR_STILL_NEEDED', detail: /needs at least one author/, parameters: [] } as const
    const { blockers } = await service.refuse('DELETE', `${path}/authors/${ben?.id}`, undefined, refused)
    expect(blockers).toEqual([{ resource: 'book', relation: 'authors', count: 1 }])
    // There is nothing to remove.
    expect((await remove(`authors/${ann?.id}`)).status).toBe(204)
    await service.put(`${path}/authors/${ann?.id}`, undefined)
    expect((await remove(`authors/${ben?.id}`)).status).toBe(204)
    expect((await service.read(path)).authors).toEqual([ann])
  })

  test('passes over a body, as every DELETE', async () => {
    expect((await service.request('DELETE', `${path}/tags/${red?.id}`, { word: 'x' })).status).toBe(204)
    expect((await service.read(path)).tags).toEqual(book.tags.slice(1))
  })

  test('removes links to what others own, and to records of the same resource', async () => {
    const [chapter] = book.chapters
    await service.put(`${path}/excerpts/${chapter.id}`, undefined)
    await service.put(`${path}/sequels/${book.id}`, undefined)
    expect((await service.read(path)).excerpts).toEqual([{ id: chapter.id, title: 'one' }])
    expect((await remove(`excerpts/${chapter.id}`)).status).toBe(204)
    expect((await remove(`sequels/${book.id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual(book)
  })
})
