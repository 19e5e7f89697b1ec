import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { product } from '../contract/models/product.ts'

const [anyDatabase] = databases as [TestDatabase]

describe('options that would be misunderstood are refused at start', () => {
  test.each<[string, object, RegExp]>([
    ['one that does not exist', { authorise: () => false }, /no option 'authorise'.*authorize/],
    ['`authorize: true`', { authorize: true }, /authorize: must be a function/],
    ['`authorize: null`', { authorize: null }, /authorize: must be a function/],
    ['`session: {}`', { session: {} }, /session: must be a function/],
    ['`session` on SQLite', { session: () => ({}), caller: () => ({}) }, /session: SQLite has no settings/],
  ])('%s', async (_, options, message) => {
    await expect(buildApp(anyDatabase, product, { plugin: options as never })).rejects.toThrow(message)
  })

  test('what `fastify.register` takes is no unknown option', async () => {
    const open = await anyDatabase.open()
    const app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: product, prefix: '/x', logLevel: 'warn' })
    await app.close()
    await open.close()
  })
})

describeOnBoth("the application's hooks", (database) => {
  const service = useApp(database, product, {
    // With `handlers`, answers are not compared with the document, which knows nothing of a hook's.
    plugin: { handlers: {} },
    before(app) {
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers.authorization !== undefined) return
        reply.code(401)
        throw new Error('who is there?')
      })
    },
  })

  test('one that sets a status and throws: that is the status', async () => {
    for (const [method, path, body] of [
      ['GET', '/api/product', undefined],
      ['GET', '/api/product/1', undefined],
      ['POST', '/api/product', { name: 'a' }],
      ['DELETE', '/api/product/1', undefined],
    ] as const) {
      const { status, headers, body: answer } = await service.request(method, path, body)
      expect([status, answer.status]).toEqual([401, 401])
      expect(headers['content-type']).toMatch(/^application\/problem\+json\b/)
    }
    const known = await service.request('GET', '/api/product', undefined, { authorization: 'me' })
    expect(known.status).toBe(200)
  })
})

describeOnBoth('a path with a slash at its end', (database) => {
  const service = useApp(database, product)

  test('is none of the routes: 404, not a record without an id', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const path of ['/api/product/', `/api/product/${id}/`]) {
      await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })
})

describe("an application's own 503", () => {
  const log = errorLog('info')
  const service = useApp(anyDatabase, product, {
    plugin: { handlers: {} },
    fastify: log.fastify,
    before(app) {
      app.addHook('onRequest', async () => {
        throw Object.assign(new Error('closed for today'), { statusCode: 503 })
      })
    },
  })

  test('is not logged as a busy database', async () => {
    expect((await service.get('/api/product')).status).toBe(503)
    const warnings = log.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    const messages = warnings.map(({ msg, err }) => [msg, err?.message]).filter(([, message]) => message !== undefined)
    expect(messages).toEqual([['the service could not answer now', 'closed for today']])
  })
})
