import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { missingId } from '../../../../../test/support/test-ids.ts'

const name = Type.String()

const model = defineResources({
  tag: { fields: { name } },
  book: { fields: { name }, relations: { tags: knows.many('tag'), topics: needs.many('tag') } },
  note: { ifMatch: 'required', fields: { name }, relations: { tags: knows.many('tag') } },
})

const precondition = (status: 412 | 428) => ({ code: 'CRUD_ERR_PRECONDITION', status }) as const

describeOnBoth('the headers of a request for one link', (database) => {
  const service = useApp(database, model)
  let [red, blue]: JsonBody[] = []
  let path: string
  let etag: string

  beforeEach(async () => {
    red = await service.add('/api/tag', { name: 'red' })
    blue = await service.add('/api/tag', { name: 'blue' })
    const [tags, topics] = [[{ id: red?.id }], [{ id: red?.id }]]
    path = `/api/book/${(await service.add('/api/book', { name: 'b', tags, topics })).id}`
    etag = String((await service.get(path)).headers.etag)
  })

  const send = (method: string, link: string, headers: Record<string, string>) =>
    service.request(method, `${path}/${link}`, undefined, headers)
  const tags = async () => (await service.read(path)).tags.map((one: JsonBody) => one.name)

  test('`If-Match` has the ETag of the record: with another one, nothing is done', async () => {
    const before = await service.snapshot()
    for (const [method, link] of [
      ['PUT', `tags/${blue?.id}`],
      ['PUT', `tags/${red?.id}`],
      ['DELETE', `tags/${red?.id}`],
      ['DELETE', `tags/${blue?.id}`],
    ] as const) {
      expectProblem(await send(method, link, { 'if-match': '"other"' }), precondition(412))
    }
    expect(await service.snapshot()).toEqual(before)
    expect((await send('PUT', `tags/${blue?.id}`, { 'if-match': etag })).status).toBe(204)
    expectProblem(await send('DELETE', `tags/${red?.id}`, { 'if-match': etag }), precondition(412))
    expect((await send('DELETE', `tags/${red?.id}`, { 'if-match': '*' })).status).toBe(204)
    expect(await tags()).toEqual(['blue'])
  })

  test('a tag that is not there is 404 before 412', async () => {
    const unknown = `tags/${missingId('tag')}`
    expectProblem(await send('PUT', unknown, { 'if-match': '"other"' }), { code: 'CRUD_ERR_NOT_FOUND' })
    expectProblem(await send('DELETE', unknown, { 'if-match': '"other"' }), precondition(412))
  })

  test("`ifMatch: 'required'` requires it: 428", async () => {
    const note = await service.add('/api/note', { name: 'n' })
    const of = `/api/note/${note.id}`
    await service.refuse('PUT', `${of}/tags/${red?.id}`, undefined, precondition(428))
    await service.refuse('DELETE', `${of}/tags/${red?.id}`, undefined, precondition(428))
    await service.refuse('PUT', `${of}/tags/${red?.id}`, { word: 1 }, { code: 'CRUD_ERR_INVALID' })
    const tag = String((await service.get(of)).headers.etag)
    const answer = await service.request('PUT', `${of}/tags/${red?.id}`, undefined, { 'if-match': tag })
    expect(answer.status).toBe(204)
    expect((await service.read(`${of}/tags`)).count).toBe(1)
  })

  test('`Prefer: tx=rollback` does it and undoes it', async () => {
    const before = await service.snapshot()
    for (const [method, link] of [
      ['PUT', `tags/${blue?.id}`],
      ['DELETE', `tags/${red?.id}`],
      ['PUT', `tags/${red?.id}`],
    ] as const) {
      const answer = await send(method, link, { prefer: 'tx=rollback' })
      expect([answer.status, answer.headers['preference-applied']]).toEqual([204, 'tx=rollback'])
    }
    const last = await send('DELETE', `topics/${red?.id}`, { prefer: 'tx=rollback' })
    expectProblem(last, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect(await service.snapshot()).toEqual(before)
  })

  test('`Prefer: max-affected=N`: the record whose link changes is one', async () => {
    const none = { prefer: 'max-affected=0' }
    expect((await send('PUT', `tags/${red?.id}`, none)).status).toBe(204)
    expectProblem(await send('PUT', `tags/${blue?.id}`, none), { code: 'CRUD_ERR_TOO_LARGE' })
    expectProblem(await send('DELETE', `tags/${red?.id}`, none), { code: 'CRUD_ERR_TOO_LARGE' })
    const answer = await send('PUT', `tags/${blue?.id}`, { prefer: 'max-affected=1' })
    expect([answer.status, answer.headers['preference-applied']]).toEqual([204, 'max-affected=1'])
  })

  test('`Prefer: return` makes no difference, as there is no body', async () => {
    for (const prefer of ['return=minimal', 'return=representation']) {
      const answer = await send('PUT', `tags/${blue?.id}`, { prefer })
      expect([answer.status, answer.body, answer.headers['preference-applied']]).toEqual([204, undefined, undefined])
    }
  })
})
