import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { caller, headersOf, type Who } from './support/as-caller.ts'

const resources = defineResources({
  ticket: {
    fields: {
      title: Type.String(),
      salary: Type.Optional(Type.Integer({ access: { View: ['hr'] } })),
      ownerId: Type.Integer({ default: 1 }),
    },
    relations: { comments: owns.many('comment') },
  },
  comment: {
    fields: { text: Type.String(), authorId: Type.Integer() },
    relations: { ticket: ownedBy('ticket'), marks: owns.many('mark') },
  },
  mark: { fields: { text: Type.String() }, relations: { comment: ownedBy('comment') } },
})

const ada: Who = { user: 1 }
const bob: Who = { user: 2 }
const hr: Who = { user: 1, roles: ['hr'] }
const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const

describeOnBoth('an ETag is made of what its caller is shown:', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      caller,
      policies: {
        ticket: { View: true, Add: true, Edit: ({ eb }) => eb('title', '!=', 'closed'), Delete: true },
        comment: {
          View: ({ eb, my }) => eb('authorId', '=', my('id')),
          Add: true,
          Edit: true,
          Delete: true,
        },
      },
    },
  })
  let ticket: JsonBody
  let path: string
  const send = (who: Who, method: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.request(method, path, body, { ...headersOf(who), ...headers })
  const tagFor = async (who: Who) => String((await send(who, 'GET')).headers.etag)

  beforeEach(async () => {
    const { body } = await service.request(
      'POST',
      '/api/ticket',
      {
        title: 't',
        comments: [
          { text: 'a', authorId: 1, marks: [{ text: 'm' }] },
          { text: 'b', authorId: 2, marks: [{ text: 'm' }, { text: 'n' }] },
        ],
      },
      headersOf(ada),
    )
    ticket = body
    path = `/api/ticket/${ticket.id}`
  })

  test('two callers have different ones, as policies and fields show them different records', async () => {
    const tags = [await tagFor(ada), await tagFor(bob), await tagFor(hr)]
    expect(new Set(tags).size).toBe(3)
  })

  test('what a caller cannot see does not change it', async () => {
    const [before, beforeForBob] = [await tagFor(ada), await tagFor(bob)]
    const { comments } = (await send(bob, 'GET')).body
    await send(bob, 'PATCH', { comments: [{ id: comments[0].id, text: 'x' }] })
    expect(await tagFor(ada)).toBe(before)
    expect(await tagFor(bob)).not.toBe(beforeForBob)
    expect((await send(ada, 'GET', undefined, { 'if-none-match': before })).status).toBe(304)
    expect((await send(ada, 'PATCH', { title: 'u' }, { 'if-match': before })).status).toBe(200)
  })

  test('the tag of another caller does not match', async () => {
    const tag = await tagFor(bob)
    expect((await send(ada, 'GET', undefined, { 'if-none-match': tag })).status).toBe(200)
    for (const [method, body] of [['PATCH', { title: 'u' }], ['PUT', { title: 'u' }], ['DELETE']] as const) {
      expectProblem(await send(ada, method, body, { 'if-match': tag }), failed)
    }
    expect((await send(ada, 'DELETE', undefined, { 'if-match': await tagFor(ada) })).status).toBe(204)
  })

  test('the answer to a write has the one that the caller’s next GET has', async () => {
    for (const who of [ada, bob, hr]) {
      const { headers } = await send(who, 'PATCH', { title: `of ${who.user}` })
      expect(await tagFor(who)).toBe(headers.etag)
    }
  })

  test('a policy on the path’s record comes before `If-Match`', async () => {
    await send(ada, 'PATCH', { title: 'u' })
    await service.db.updateTable('ticket').set({ title: 'closed' }).execute()
    const before = await service.snapshot()
    expectProblem(await send(ada, 'PATCH', { title: 'x' }, { 'if-match': '"other"' }), { code: 'CRUD_ERR_FORBIDDEN' })
    expect(await service.snapshot()).toEqual(before)
  })

  test('`max-affected` counts what the caller may see, and does not say how much it is', async () => {
    const prefer = (most: number) => ({ prefer: `max-affected=${most}, tx=rollback` })
    // The ticket, the comment of the caller, its mark.
    const refused = await send(ada, 'DELETE', undefined, prefer(2))
    expectProblem(refused, { code: 'CRUD_ERR_TOO_LARGE', detail: /more than 2 records/ })
    expect((await send(ada, 'DELETE', undefined, prefer(3))).status).toBe(204)
    const [mine] = (await send(ada, 'GET')).body.comments
    expect(mine.marks).toHaveLength(1)
    expectProblem(await send(ada, 'PUT', { title: 't', comments: [] }, prefer(1)), { code: 'CRUD_ERR_TOO_LARGE' })
    expect((await send(ada, 'PUT', { title: 't', comments: [] }, prefer(2))).status).toBe(200)
  })
})

describeOnBoth('a condition on a record outside of View', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      caller,
      policies: {
        ticket: {
          View: ({ eb, my }) => eb('ownerId', '=', my('id')),
          Add: ({ eb }) => eb('title', '!=', 'forbidden'),
          Edit: true,
          Delete: true,
        },
      },
    },
  })

  test('finds nothing: as for an id that no record has, as far as refusals say', async () => {
    const { body } = await service.request('POST', '/api/ticket', { title: 't', ownerId: 1 }, headersOf(ada))
    const path = `/api/ticket/${body.id}`
    const send = (method: string, headers: Record<string, string>, sent?: unknown) =>
      service.request(method, path, sent, { ...headersOf(bob), ...headers })
    for (const header of ['if-match', 'if-none-match']) {
      for (const [method, sent] of [['GET'], ['PATCH', { title: 'u' }], ['DELETE']] as const) {
        expectProblem(await send(method, { [header]: '*' }, sent), { code: 'CRUD_ERR_NOT_FOUND' })
      }
    }
    expectProblem(await send('POST', { 'if-match': '*' }, { title: 'u' }), failed)
    expectProblem(await send('POST', { 'if-none-match': '*' }, { title: 'u' }), { code: 'CRUD_ERR_EXISTS' })
    expectProblem(await send('POST', { 'if-none-match': '*' }, { title: 'forbidden' }), { code: 'CRUD_ERR_FORBIDDEN' })
  })
})
