import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { largeIds, missingId, noIdInPath } from '../../../../../test/support/test-ids.ts'
import { bookshop } from './bookshop.ts'

describeOnBoth('PUT of a link', (database) => {
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
    book = await service.add('/api/book', { title: 'A', authors: [{ id: ann?.id }], tags: [{ id: red?.id }] })
    path = `/api/book/${book.id}`
  })

  const idsOf = async (relation: string) => (await service.read(path))[relation].map(({ id }: JsonBody) => id)

  test('adds it, and leaves all others', async () => {
    const answer = await service.put(`${path}/tags/${blue?.id}`, undefined)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(answer.headers['preference-applied']).toBeUndefined()
    expect(await idsOf('tags')).toEqual([red?.id, blue?.id])
    expect((await service.put(`${path}/authors/${ben?.id}`, undefined)).status).toBe(204)
    expect(await service.read(path)).toEqual({ ...book, authors: [ann, ben], tags: (await service.read(path)).tags })
  })

  test('is 204 for one that is there, and writes nothing', async () => {
    const before = await service.snapshot()
    const statements = await service.statements(async () => {
      expect((await service.put(`${path}/tags/${red?.id}`, undefined)).status).toBe(204)
      expect((await service.put(`${path}/authors/${ann?.id}`, undefined)).status).toBe(204)
    })
    expect(
      statements.filter((one) => /^\s*(with|insert|update|delete)\b.*\b(insert|update|delete)\b/is.test(one)),
    ).toEqual([])
    expect(await service.snapshot()).toEqual(before)
  })

  test('links a record to itself, in one direction', async () => {
    expect((await service.put(`${path}/sequels/${book.id}`, undefined)).status).toBe(204)
    const other = await service.add('/api/book', { title: 'B', authors: [{ id: ben?.id }] })
    await service.put(`${path}/sequels/${other.id}`, undefined)
    expect(await idsOf('sequels')).toEqual([book.id, other.id])
    expect((await service.read(`/api/book/${other.id}`)).sequels).toEqual([])
  })

  test('of a record that is not there is 404, at either end', async () => {
    for (const id of [missingId('tag'), ...largeIds('tag')]) {
      await service.refuse('PUT', `${path}/tags/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND', detail: /no tag/ })
    }
    for (const id of [missingId('book'), ...largeIds('book')]) {
      const of = `/api/book/${id}/tags/${red?.id}`
      await service.refuse('PUT', of, undefined, { code: 'CRUD_ERR_NOT_FOUND', detail: /no book/ })
    }
  })

  test('has ids in its path: what is none is 400, and each is named', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', parameters: ['id', 'tag_id'] } as const
    await service.refuse('PUT', `/api/book/${noIdInPath}/tags/${noIdInPath}`, undefined, refused)
    await service.refuse('PUT', `${path}/tags/${noIdInPath}`, undefined, { ...refused, parameters: ['tag_id'] })
    expectProblem(await service.put(`${path}/tags/`, undefined), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('takes no values: a body with some is 400, an empty one is none', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', pointers: [''], detail: /leave out the body/ } as const
    for (const body of [{ since: 1 }, { id: blue?.id }, [], null, 'x', [{}]]) {
      await service.refuse('PUT', `${path}/tags/${blue?.id}`, body, refused)
    }
    expectProblem(await service.raw('PUT', `${path}/tags/${blue?.id}`, '{'), { code: 'CRUD_ERR_INVALID' })
    const text = await service.raw('PUT', `${path}/tags/${blue?.id}`, 'x', 'text/plain')
    expectProblem(text, { code: 'CRUD_ERR_BODY', status: 415 })
    expect(await idsOf('tags')).toEqual([red?.id])
    expect((await service.put(`${path}/tags/${blue?.id}`, {})).status).toBe(204)
    expect(await idsOf('tags')).toEqual([red?.id, blue?.id])
  })

  test('takes no query', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', parameters: ['dryRun'] } as const
    await service.refuse('PUT', `${path}/tags/${blue?.id}?dryRun=true`, undefined, refused)
  })

  test('gives the record another ETag, unless it was there', async () => {
    const tagOf = async () => (await service.get(path)).headers.etag
    const first = await tagOf()
    await service.put(`${path}/tags/${red?.id}`, undefined)
    expect(await tagOf()).toBe(first)
    await service.put(`${path}/tags/${blue?.id}`, undefined)
    expect(await tagOf()).not.toBe(first)
  })
})

describeOnBoth('the paths of links', (database) => {
  const service = useApp(database, bookshop)

  test('have no other methods', async () => {
    for (const [path, allow] of [
      ['/api/book/1/tags', 'GET, HEAD'],
      ['/api/book/1/tags/1', 'PUT, DELETE'],
    ] as const) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !allow.includes(one))) {
        const answer = await service.request(method, path)
        expectProblem(answer, { code: 'CRUD_ERR_METHOD' })
        expect(answer.headers.allow).toBe(allow)
      }
    }
  })

  test('are there for `needs.many` and `knows.many` only', async () => {
    for (const path of ['/api/author/1/books', '/api/author/1/books/1', '/api/tag/1/group', '/api/book/1/chapters/1']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expectProblem(await service.request(method, path), { code: 'CRUD_ERR_NOT_FOUND', detail: /nothing at/ })
      }
    }
  })
})
