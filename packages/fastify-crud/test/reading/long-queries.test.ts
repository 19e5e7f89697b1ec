import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  type AccessQuestion,
  createTables,
  crudPlugin,
  defineResources,
  needs,
  ownedBy,
  owns,
  sendClientProblem,
  sendProblem,
} from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const text = Type.String()

const shop = defineResources({
  book: {
    groups: true,
    search: { fields: ['title'] },
    fields: { title: text, price: Type.Integer() },
    relations: { publisher: needs.one('publisher'), chapters: owns.many('chapter') },
  },
  chapter: { fields: { title: text }, relations: { book: ownedBy('book') } },
  publisher: { fields: { name: text } },
})

describeOnBoth('a query in a body', (database) => {
  const service = useApp(database, shop, { plugin: { limits: { maxPage: 5, maxFilters: 3 } } })
  let book: JsonBody
  const long = (body: unknown, path = '/api/book/$list') => service.post(path, body)

  beforeEach(async () => {
    const { id: publisherId } = await service.add('/api/publisher', { name: 'Ink' })
    for (const [title, price] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const)
      book = await service.add('/api/book', { title, price, publisherId, chapters: [{ title: `${title}1` }] })
  })

  test('answers as the GET whose query it is', async () => {
    const rest = { fields: ['title', 'count(chapters)'], count: 'none', limit: 2 }
    for (const [body, query] of [
      [{}, ''],
      [{ filter: { price: { gte: 2 } }, sort: ['-price'] }, 'filter[price][gte]=2&sort=-price'],
      [
        { filter: { or: [{ title: 'a' }, { 'publisher.name': 'x' }] } },
        'filter={"or":[{"title":"a"},{"publisher.name":"x"}]}',
      ],
      [rest, 'fields=title,count(chapters)&count=none&limit=2'],
      [{ search: 'b', offset: 0 }, 'search=b&offset=0'],
      [{ include: ['-chapters'], sort: ['publisher.name', 'title'] }, 'include=-chapters&sort=publisher.name,title'],
      [
        { nested: { chapters: { limit: 1, sort: ['-title'] } } },
        'nested[chapters][limit]=1&nested[chapters][sort]=-title',
      ],
    ] as const) {
      const { status, body: page, headers } = await long(body)
      expect(status, query).toBe(200)
      expect(page, query).toEqual(await service.read(`/api/book?${encodeURI(query)}`))
      expect([headers.etag, headers.link], query).toEqual([undefined, undefined])
    }
  })

  test('goes on behind a cursor, which may be that of a GET', async () => {
    const first = (await long({ sort: ['price'], limit: 2 })).body
    expect(first.rows).toHaveLength(2)
    expect((await long({ sort: ['price'], limit: 2, after: first.next })).body.rows).toMatchObject([{ title: 'a' }])
    expect((await service.read(`/api/book?sort=price&limit=2&after=${first.next}`)).rows).toMatchObject([
      { title: 'a' },
    ])
  })

  test('has groups', async () => {
    const body = { by: ['publisher.name'], values: ['count()', 'max(price)'], having: { 'count()': { gte: 2 } } }
    const query = `by=publisher.name&values=count(),max(price)&having=${encodeURIComponent('{"count()":{"gte":2}}')}`
    const { body: groups } = await long(body, '/api/book/$group')
    expect(groups).toEqual(await service.read(`/api/book/$group?${query}`))
    expect(groups.rows).toEqual([{ 'publisher.name': 'Ink', 'count()': 3, 'max(price)': 3 }])
    expect((await long({}, '/api/publisher/$group')).status).toBe(400)
  })

  test('is there below owners', async () => {
    const { body } = await long({ filter: { title: 'c1' } }, `/api/book/${book.id}/chapter/$list`)
    expect(body).toMatchObject({ count: 1, rows: [{ title: 'c1' }] })
    await service.refuse('POST', `/api/book/${book.id + 900}/chapter/$list`, {}, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test.each([
    [{ filter: { price: { gte: 'x' } } }, ['/filter/price/gte']],
    [{ filter: { and: [{ title: 'a' }, { 'publisher.nam': 'x' }] } }, ['/filter/and/1/publisher.nam']],
    [{ filter: { chapters: { some: { title: 1 } } } }, ['/filter/chapters/some/title']],
    [{ filter: { not: { price: { gt: 1, near: 2 } } } }, ['/filter/not/price']],
    [{ filter: null, sort: 'title' }, ['/filter', '/sort']],
    [{ sort: ['title', '-prise'], fields: ['titel'] }, ['/sort/1', '/fields/0']],
    [{ limit: 6, offset: -1 }, ['/limit', '/offset']],
    [{ limit: '5' }, ['/limit']],
    [{ count: 'some' }, ['/count']],
    [{ after: 7 }, ['/after']],
    [
      { nested: { chapters: { limit: 0, filter: { titel: 'x' } } } },
      ['/nested/chapters/limit', '/nested/chapters/filter/titel'],
    ],
    [{ limt: 5, 'a/b': 1, filter: { titel: 'x' } }, ['/limt', '/a~1b', '/filter/titel']],
    [{ filter: { a: 1, b: 2, c: 3, d: 4 } }, ['/filter/a', '/filter/b', '/filter/c', '/filter/d']],
    [{ filter: { price: { gt: 1, lt: 9, ne: 4, gte: 2 } } }, ['/filter']],
    [[], ['']],
    ['x', ['']],
    [undefined, ['']],
  ])('%j is refused at %j', async (body, pointers) => {
    await service.refuse('POST', '/api/book/$list', body, { code: 'CRUD_ERR_INVALID', pointers, parameters: [] })
  })

  test('what is wrong with groups has pointers, too', async () => {
    const body = { by: ['titel'], values: ['sum(title)'], having: { 'count()': 1 }, fields: [] }
    await service.refuse('POST', '/api/book/$group', body, {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/fields', '/by/0', '/values/0', '/having/count()'],
    })
  })

  test('the messages of a GET have no pointers', async () => {
    const { errors } = await service.refuse('GET', '/api/book?filter={"price":{"gte":"x"}}', undefined, {
      code: 'CRUD_ERR_INVALID',
    })
    expect(Object.keys(errors[0])).toEqual(['parameter', 'message', 'keyword', 'params'])
  })

  test('it has the media type and the size of a body, and no query', async () => {
    const code = 'CRUD_ERR_BODY'
    expect((await service.raw('POST', '/api/book/$list', '{}', 'text/plain')).body).toMatchObject({ code, status: 415 })
    const large = JSON.stringify({ search: 'x'.repeat(1024 * 1024) })
    expect((await service.raw('POST', '/api/book/$list', large)).body).toMatchObject({ code, status: 413 })
    expect((await service.raw('POST', '/api/book/$list', '{"limit":1,"limit":2}')).status).toBe(400)
    await service.refuse('POST', '/api/book/$list?limit=1', {}, { code: 'CRUD_ERR_INVALID', parameters: ['limit'] })
  })

  test('it is a read: what only writes prefer is passed over, and conditions are those of a list', async () => {
    const ask = (headers: Record<string, string>) => service.request('POST', '/api/book/$list', {}, headers)
    const minimal = await ask({ prefer: 'return=minimal, tx=rollback', 'idempotency-key': 'k' })
    expect([minimal.status, minimal.headers['preference-applied'], minimal.body.count]).toEqual([200, undefined, 3])
    expect((await ask({ 'if-match': '"a"' })).status).toBe(412)
    expect((await ask({ 'if-none-match': '*' })).status).toBe(412)
    const { headers } = await service.request('GET', '/api/book/$list')
    expect(headers.allow).toBe('POST')
  })
})

describe('queries in bodies, and what an application has to say of them', () => {
  const [sqlite] = setups as readonly [(typeof setups)[number]]

  test('they ask for what the list asks for', async () => {
    const asked: unknown[] = []
    const authorize = (_request: unknown, { action, operation, resource }: AccessQuestion) =>
      asked.push(`${operation}: ${action} ${resource}`) > 0 && resource !== 'publisher'
    const app = await buildApp(sqlite, shop, { plugin: { authorize } })
    try {
      const { status, body } = await app.post('/api/book/$list', { filter: { 'publisher.name': 'x' } })
      expect([status, asked[0], body.errors[0].pointer]).toEqual([400, 'list: View book', '/filter/publisher.name'])
      expect((await app.post('/api/publisher/$list', {})).status).toBe(403)
    } finally {
      await app.close()
    }
  })

  test('where list is replaced, they are 405', async () => {
    const handler = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => void (await next())
    const list = { access: { action: 'View' }, handler } as const
    const app = await buildApp(sqlite, shop, { plugin: { handlers: { book: { list } } } })
    try {
      for (const path of ['$list', '$group']) expect((await app.post(`/api/book/${path}`, {})).status).toBe(405)
      expect((await app.post('/api/publisher/$list', {})).status).toBe(200)
    } finally {
      await app.close()
    }
  })

  test('the error of an address that is too long names them', async () => {
    const database = await sqlite.open()
    const app = Fastify({ clientErrorHandler: sendClientProblem, frameworkErrors: sendProblem })
    try {
      await createTables(database.db, shop)
      await app.register(crudPlugin, { db: database.db, resources: shop })
      await app.listen({ port: 0 })
      const { port } = app.server.address() as AddressInfo
      const get = (path: string) =>
        new Promise<{ status: number | undefined; type: string | undefined; body: JsonBody }>((resolve, reject) => {
          send({ port, path }, (answer) => {
            const parts: Buffer[] = []
            answer.on('data', (part) => parts.push(part))
            answer.on('end', () =>
              resolve({
                status: answer.statusCode,
                type: answer.headers['content-type'],
                body: JSON.parse(Buffer.concat(parts).toString()),
              }),
            )
          })
            .on('error', reject)
            .end()
        })
      const tooLong = await get(`/api/book?search=${'x'.repeat(20_000)}`)
      expect(tooLong).toMatchObject({
        status: 431,
        type: 'application/problem+json',
        body: {
          status: 431,
          title: 'Request Header Fields Too Large',
          detail: expect.stringContaining('POST to …/$list'),
        },
      })
      const longId = await get(`/api/book/${'1'.repeat(200)}`)
      expect([longId.status, longId.type]).toEqual([414, expect.stringContaining('application/problem+json')])
      expect(longId.body.detail).toContain('$list')
    } finally {
      await app.close()
      await database.close()
    }
  })
})
