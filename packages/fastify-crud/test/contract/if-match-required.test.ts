import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId, noIdInPath } from '../../../../test/support/test-ids.ts'

const resources = defineResources({
  book: {
    fields: { title: Type.String(), secret: Type.Optional(Type.String({ access: { View: ['staff'] } })) },
    relations: { notes: owns.many('note') },
  },
  note: {
    fields: { text: Type.String() },
    relations: { book: ownedBy('book'), marks: owns.many('mark') },
    ifMatch: 'required',
  },
  mark: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
  account: {
    fields: { total: Type.Integer(), secret: Type.Optional(Type.String({ access: { View: ['staff'] } })) },
    ifMatch: 'required',
  },
})

const required = { code: 'CRUD_ERR_PRECONDITION', status: 428, detail: /If-Match/ } as const

describeOnBoth("`ifMatch: 'required'`", (database) => {
  let allows = true
  const service = useApp(database, resources, {
    plugin: { caller: ({ headers }) => ({ roles: [headers['x-role'] ?? ''] }), authorize: () => allows },
  })
  let account: JsonBody
  let path: string

  beforeEach(async () => {
    allows = true
    account = await service.add('/api/account', { total: 1 })
    path = `/api/account/${account.id}`
  })

  test('has PUT, PATCH and DELETE without `If-Match` answered with 428, and nothing is done', async () => {
    await service.refuse('PUT', path, { total: 2 }, required)
    await service.refuse('PUT', '/api/account', { id: account.id, total: 2 }, required)
    await service.refuse('PATCH', path, {}, required)
    await service.refuse('DELETE', path, undefined, required)
  })

  test('holds for callers of all roles', async () => {
    const answer = await service.request('PATCH', path, { total: 2 }, { 'x-role': 'staff' })
    expectProblem(answer, required)
  })

  test('is content with the right tag, and with `*`', async () => {
    const { headers } = await service.get(path)
    const patched = await service.request('PATCH', path, { total: 2 }, { 'if-match': String(headers.etag) })
    expect(patched.status).toBe(200)
    const stale = await service.request('PATCH', path, { total: 3 }, { 'if-match': String(headers.etag) })
    expectProblem(stale, { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    expect((await service.request('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204)
  })

  test('says nothing of GET and POST', async () => {
    expect((await service.get(path)).status).toBe(200)
    expect((await service.post(`/api/account/${chosenId('account')}`, { total: 1 })).status).toBe(201)
  })

  test('comes behind the query and the body, and before the path', async () => {
    await service.refuse('PATCH', path, { totl: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/totl'] })
    await service.refuse('PUT', '/api/account', { total: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
    await service.refuse('DELETE', `${path}?x=1`, undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('PATCH', `/api/account/${missingId('account')}`, {}, required)
    await service.refuse('PATCH', `/api/account/${noIdInPath}`, {}, { code: 'CRUD_ERR_INVALID', detail: /path/ })
    allows = false
    await service.refuse('PATCH', path, {}, { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('goes by the resource that the path names: an owner’s body needs it only if the owner’s descriptor says so', async () => {
    const book = await service.add('/api/book', { title: 't', notes: [{ text: 'n', marks: [{ text: 'm' }] }] })
    const note = `/api/book/${book.id}/note/${book.notes[0].id}`
    await service.refuse('PATCH', note, { text: 'x' }, required)
    expect((await service.patch(`${note}/mark/${book.notes[0].marks[0].id}`, { text: 'x' })).status).toBe(200)
    expect((await service.patch(`/api/book/${book.id}`, { notes: [{ id: book.notes[0].id, text: 'x' }] })).status).toBe(
      200,
    )
    expect((await service.delete(`/api/book/${book.id}`)).status).toBe(204)
  })
})

describe('another `ifMatch`', () => {
  test('is a problem of the model, which names the place', () => {
    // @ts-expect-error: 'required' is all that there is.
    const define = () => defineResources({ book: { fields: {}, ifMatch: 'always' } })
    expect(define).toThrow(/book\.ifMatch: must be 'required'/)
  })
})
