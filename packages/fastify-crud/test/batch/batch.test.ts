import { Type } from '@sinclair/typebox'
import { defineActions, defineResources, field, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const text = Type.String()

const resources = defineResources({
  author: { ifMatch: 'required', fields: { name: text }, relations: { books: owns.many('book') } },
  book: {
    topLevel: true,
    fields: {
      title: Type.String({ minLength: 1 }),
      code: Type.Optional(text),
      copies: field(Type.Integer(), { default: 1 }),
    },
    relations: { author: ownedBy('author'), tags: knows.many('tag'), publisher: knows.one('publisher') },
    unique: [['code']],
  },
  publisher: { id: 'uuid', fields: { name: text } },
  tag: { id: 'text', fields: { name: text }, softDelete: { column: 'deletedAt', trash: { purge: true } } },
  number: { id: 'bigint', fields: { name: text }, relations: { tag: needs.one('tag') } },
})

const actions = defineActions(resources, {
  book: {
    reprint: {
      asks: 'Edit',
      body: Type.Object({ copies: Type.Integer() }),
      async run({ id, body, store }) {
        await store.book.patch(id, body)
      },
    },
  },
})

type Requests = readonly JsonBody[]

describeOnDatabases('POST /$batch', (database) => {
  const service = useApp(database, resources, {
    plugin: { batch: true, actions: actions as never, limits: { batch: 12 } },
  })
  const send = (requests: Requests, headers: Record<string, string> = {}) =>
    service.request('POST', '/api/$batch', { requests }, headers)
  const count = async (path: string) => (await service.read(path)).count

  test('carries out requests as if they came one by one, and answers each of them so', async () => {
    const { status, body, headers } = await send([
      { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' },
      { method: 'POST', path: '/publisher', body: { name: 'Four' }, as: 'four' },
      { method: 'POST', path: '/tag', body: { id: 'new', name: 'New' }, as: 'tag' },
      { method: 'POST', path: '/number', body: { name: 'one', tagId: { $new: 'tag' } }, as: 'number' },
      {
        method: 'POST',
        path: '/author/$new.emma/book',
        body: { title: 'Ink', publisherId: { $new: 'four' }, tags: [{ id: { $new: 'tag' } }] },
        as: 'ink',
      },
      { method: 'POST', path: '/book', body: { title: 'Nib', authorId: { $new: 'emma' } }, as: 'nib' },
      { method: 'PUT', path: '/book/$new.nib/tags/$new.tag' },
      { method: 'POST', path: '/book/$new.nib/$act/reprint', body: { copies: 7 } },
      {
        method: 'PATCH',
        path: '/book',
        body: [
          { id: { $new: 'ink' }, copies: 2 },
          { id: { $new: 'nib' }, code: 'n' },
        ],
      },
      { method: 'GET', path: '/book?sort=title&fields=title,copies,code' },
      { method: 'DELETE', path: '/book/$new.ink' },
      { method: 'GET', path: '/number/$new.number' },
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    const { answers } = body
    expect(answers.map((one: JsonBody) => one.status)).toEqual([
      201, 201, 201, 201, 201, 201, 204, 200, 200, 200, 204, 200,
    ])
    const [emma, , , , ink, nib] = answers.map((one: JsonBody) => one.body)
    expect(answers[0].location).toBe(`/api/author/${emma.id}`)
    expect(answers[11].etag).toBe((await service.get(`/api/number/${answers[11].body.id}`)).headers.etag)
    expect(ink).toMatchObject({ title: 'Ink', tags: [{ id: 'new' }], publisher: { name: 'Four' } })
    expect(answers[9].body.rows).toMatchObject([
      { id: ink.id, title: 'Ink', copies: 2, code: null, partial: true },
      { id: nib.id, title: 'Nib', copies: 7, code: 'n', partial: true },
    ])
    expect(answers[11].body).toMatchObject({ name: 'one', tagId: 'new' })
    expect(await service.read(`/api/book/${nib.id}`)).toMatchObject({ copies: 7, tags: [{ id: 'new' }] })
  })

  test('does nothing where one of its requests is refused, and has its status', async () => {
    const author = await service.add('/api/author', { name: 'Jane' })
    await service.add('/api/book', { title: 'Old', code: 'old', authorId: author.id })
    const first = { method: 'POST', path: '/author', body: { name: 'New' }, as: 'a' }
    for (const [request, status, code, pointer] of [
      [
        { method: 'POST', path: '/book', body: { title: 'x', code: 'old', authorId: { $new: 'a' } } },
        409,
        'CRUD_ERR_NOT_UNIQUE',
        '/body/code',
      ],
      [
        { method: 'POST', path: '/book', body: { title: 'x', authorId: 2_000_000_123 } },
        400,
        'CRUD_ERR_UNKNOWN_REFERENCE',
        '/body/authorId',
      ],
      [{ method: 'PATCH', path: '/book/2000000123', body: {} }, 404, 'CRUD_ERR_NOT_FOUND', undefined],
      [{ method: 'PATCH', path: `/author/${author.id}`, body: { name: 'x' } }, 428, 'CRUD_ERR_PRECONDITION', undefined],
      [
        { method: 'PATCH', path: `/author/${author.id}`, body: { name: 'x' }, ifMatch: '"no"' },
        412,
        'CRUD_ERR_PRECONDITION',
        undefined,
      ],
      [
        { method: 'PATCH', path: '/book?filter[title]=Old', body: { copies: 3 } },
        400,
        'CRUD_ERR_INVALID',
        '/maxAffected',
      ],
      [{ method: 'GET', path: '/nothing' }, 404, 'CRUD_ERR_NOT_FOUND', undefined],
      [{ method: 'GET', path: '/book?sort=nothing' }, 400, 'CRUD_ERR_INVALID', '/path'],
    ] as const) {
      const before = await count('/api/author')
      const answer = await send([first, request])
      const errors = pointer === undefined ? {} : { errors: [{ pointer: `/requests/1${pointer}` }] }
      expect(answer.body, JSON.stringify(request)).toMatchObject({ status, code, ...errors })
      expect(answer.status).toBe(status)
      if (status !== 400 || code !== 'CRUD_ERR_INVALID' || pointer === '/path') expect(answer.body.request).toBe(1)
      expect(await count('/api/author')).toBe(before)
    }
  })

  test('is refused for all that is wrong with the form of its requests', async () => {
    expectProblem(await send([{ method: 'GO', path: 'book' }, { path: '/book', also: 1 }, 7]), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/requests/0/method', '/requests/0/path', '/requests/1/method', '/requests/1/also', '/requests/2'],
    })
    expectProblem(await service.post('/api/$batch', []), { code: 'CRUD_ERR_INVALID', pointers: [''] })
    expectProblem(await send(Array.from({ length: 13 }, () => ({ method: 'GET', path: '/tag' }))), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/requests'],
    })
    const refused = await send([], { 'if-match': '*', prefer: 'max-affected=1' })
    expect(refused.body.errors.map(({ parameter }: JsonBody) => parameter)).toEqual(['If-Match', 'Prefer'])
  })

  test('is told of by $model', async () => {
    expect((await service.read('/api/$model')).limits.batch).toBe(12)
  })

  test('takes ETags, and filters with a limit', async () => {
    const author = await service.add('/api/author', { name: 'Jane' })
    const { etag } = (await service.get(`/api/author/${author.id}`)).headers
    const { body } = await send([
      { method: 'PATCH', path: `/author/${author.id}`, body: { name: 'Joan' }, ifMatch: etag },
      { method: 'POST', path: `/author/${author.id}/book`, body: [{ title: 'a' }, { title: 'b' }] },
      { method: 'PATCH', path: '/book?filter[title]=a', body: { copies: 9 }, maxAffected: 5 },
      { method: 'PUT', path: '/book?by=code', body: { title: 'c', code: 'c', authorId: author.id }, as: 'c' },
      { method: 'GET', path: '/book/$new.c' },
    ])
    expect(body.answers.map((one: JsonBody) => one.status)).toEqual([200, 201, 200, 201, 200])
    expect(body.answers[2].body.rows ?? body.answers[2].body).toEqual({ count: 1 })
  })

  test('brings back and removes what was deleted', async () => {
    await service.add('/api/tag', { id: 'gone', name: 'Gone' })
    const { body } = await send([
      { method: 'DELETE', path: '/tag/gone' },
      { method: 'GET', path: '/tag/$deleted/gone' },
      { method: 'POST', path: '/tag/gone/$restore' },
      { method: 'DELETE', path: '/tag/gone' },
      { method: 'DELETE', path: '/tag/$deleted/gone' },
    ])
    expect(body.answers.map((one: JsonBody) => one.status)).toEqual([204, 200, 200, 204, 204])
  })

  test('follows the preferences of the whole', async () => {
    const requests = [
      { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' },
      { method: 'POST', path: '/book', body: { title: 'Ink', authorId: { $new: 'emma' } } },
    ]
    const minimal = await send(requests, { prefer: 'return=minimal' })
    expect(minimal.headers['preference-applied']).toBe('return=minimal')
    expect(minimal.body.answers).toEqual([
      { status: 201, location: expect.stringMatching(/^\/api\/author\//) },
      { status: 201, location: expect.stringMatching(/^\/api\/book\//) },
    ])
    const before = await count('/api/author')
    const undone = await send(requests, { prefer: 'tx=rollback' })
    expect(undone.headers['preference-applied']).toBe('tx=rollback')
    expect(undone.body.answers[1]).toEqual({ status: 201, body: expect.objectContaining({ title: 'Ink' }) })
    const preview = await send(requests, { prefer: 'return=effects, tx=rollback' })
    expect(preview.body).toMatchObject({
      operation: 'batch',
      changes: [
        { action: 'Add', resource: 'author', id: null, new: 1, pointer: '/requests/0/body' },
        {
          action: 'Add',
          resource: 'book',
          id: null,
          new: 2,
          pointer: '/requests/1/body',
          within: ['author', { new: 1 }],
        },
      ],
    })
    expect(await count('/api/author')).toBe(before)
    const tag = String(preview.headers['effects-tag'])
    expect((await send(requests, { 'effects-match': '"other"' })).status).toBe(412)
    expect((await send(requests, { 'effects-match': tag })).status).toBe(200)
    expect(await count('/api/author')).toBe(before + 1)
  })

  test('is done once for a key, and answers a repeat with its records as they are now', async () => {
    await service.add('/api/tag', { id: 'old', name: 'Old' })
    const author = await service.add('/api/author', { name: 'Keyed' })
    const { id } = await service.add('/api/book', { title: 'Goes', authorId: author.id })
    const requests = [
      { method: 'POST', path: '/author', body: { name: 'Once' }, as: 'once' },
      { method: 'POST', path: '/book', body: [{ title: 'a', authorId: { $new: 'once' } }] },
      { method: 'DELETE', path: `/book/${id}` },
      { method: 'PUT', path: `/tag/old`, body: { name: 'Older' } },
      { method: 'DELETE', path: '/tag/old' },
      { method: 'DELETE', path: '/tag/$deleted/old' },
    ]
    const headers = { 'idempotency-key': 'one' }
    const first = await send(requests, headers)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    const before = await count('/api/author')
    const again = await send(requests, headers)
    expect(again.status, JSON.stringify(again.body)).toBe(200)
    expect(again.body.answers.map((one: JsonBody) => one.status)).toEqual([201, 201, 204, 200, 204, 204])
    const { body, location } = first.body.answers[0]
    expect(again.body.answers[0]).toMatchObject({ location, body: await service.read(location) })
    expect(again.body.answers[0].body.id).toBe(body.id)
    expect(await count('/api/author')).toBe(before)
    expect((await send(requests.slice(2), headers)).status).toBe(422)
  })
})

describeOnBoth('a batch, and what the application says of its requests', (database) => {
  let questions: JsonBody[]
  const service = useApp(database, resources, {
    plugin: {
      batch: true,
      actions: actions as never,
      authorize: async (request, question) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        questions.push([request.url, question.action, question.resource, question.id, question.operation])
        return question.resource !== 'publisher'
      },
      handlers: {
        tag: {
          create: {
            access: { action: 'Add' },
            handler: (_request: unknown, _reply: unknown, next: () => unknown) => next(),
          },
        },
      } as never,
      routes: { number: { create: { preHandler: async () => {} } } } as never,
    },
  })
  const send = (requests: Requests, headers: Record<string, string> = {}) =>
    service.request('POST', '/api/$batch', { requests }, headers)
  beforeEach(() => {
    questions = []
  })

  test('asks authorize about each of them with the request of the batch', async () => {
    const { status, body } = await send([
      { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' },
      { method: 'GET', path: '/author/$new.emma' },
      { method: 'POST', path: '/author/$new.emma/book', body: { title: 'Ink' } },
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(questions).toContainEqual(['/api/$batch', 'Add', 'author', undefined, 'create'])
    expect(questions).toContainEqual(['/api/$batch', 'View', 'author', undefined, 'findOne'])
    expect(questions).toContainEqual(['/api/$batch', 'Add', 'book', undefined, 'create'])
  })

  test('refuses the one that is not allowed, and does nothing', async () => {
    const { status, body } = await send([
      { method: 'POST', path: '/author', body: { name: 'Emma' } },
      { method: 'POST', path: '/publisher', body: { name: 'Four' } },
    ])
    expect([status, body.request]).toEqual([403, 1])
    expect((await service.read('/api/author')).count).toBe(0)
  })

  test('goes past no handler and no hook of the application', async () => {
    for (const path of ['/tag', '/number']) {
      const { status, body } = await send([
        { method: 'GET', path: '/author' },
        { method: 'POST', path, body: { id: 'x', name: 'x', tagId: 'x' } },
      ])
      expect([path, status, body.request]).toEqual([path, 405, 1])
    }
  })
})
