import { openApiOf } from 'fastify-crud'
import { expect, test } from 'vitest'
import { resources } from '../../../../examples/bookshop/src/resources.ts'
import { openApp } from './open-app.ts'

test('the document is served below the prefix', async () => {
  const { app, serve } = openApp()
  const info = { title: 'Bookshop', version: '1.0.0' }
  await serve({ prefix: '/v1', limits: { maxPage: 50 }, openapi: { path: '/openapi.json', info } })
  const answer = await app.inject('/v1/openapi.json')
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.json()).toEqual(
    openApiOf(resources, { info, prefix: '/v1', guarded: false, limits: { defaultPage: 20, maxPage: 50 } }),
  )
})

test('the document has GET and HEAD, and 405 for other methods', async () => {
  const { app, serve } = openApp()
  await serve({ openapi: { path: '/openapi.json' } })
  const head = await app.inject({ method: 'HEAD', url: '/api/openapi.json' })
  expect([head.statusCode, head.payload]).toEqual([200, ''])
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const answer = await app.inject({ method, url: '/api/openapi.json' })
    expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    expect(answer.json()).toMatchObject({ code: 'CRUD_ERR_METHOD' })
  }
})

test('the options of the document are those of the plugin', async () => {
  const { app, serve } = openApp()
  const openapi = {
    head: false,
    filters: 'all',
    examples: false,
    partial: false,
    guarded: true,
    describes: (resource: string) => resource === 'publisher',
  } as const
  await serve({ openapi: { path: '/openapi.json', ...openapi } })
  const limits = { defaultPage: 20, maxPage: 100 }
  expect((await app.inject('/api/openapi.json')).json()).toEqual(openApiOf(resources, { ...openapi, limits }))
})

test('without a path, no document is served', async () => {
  const { app, serve } = openApp()
  await serve()
  expect((await app.inject('/api/openapi.json')).statusCode).toBe(404)
})

test('the error of a hook is a problem, as the document says', async () => {
  const { app, serve } = openApp()
  app.addHook('onRequest', async (_request, reply) => {
    reply.code(429)
    throw new Error('slow down')
  })
  await serve({ openapi: { responses: { 429: 'Too many requests.' } } })
  const answer = await app.inject('/api/book')
  expect(answer.statusCode).toBe(429)
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json\b/)
  expect(answer.json()).toMatchObject({ type: 'about:blank', status: 429, code: 'ERR_HTTP', detail: 'slow down' })
})

test.each<[openapi: object, message: string]>([
  [{ title: 'Books' }, 'openapi.title: there is no such option; there are path, info, servers, '],
  [{ prefix: '/v1' }, 'openapi.prefix: there is no such option'],
  [{ path: 'openapi.json' }, "openapi.path: must be a path without parameters, such as '/openapi.json'"],
  [{ path: '/:file' }, 'openapi.path: must be a path'],
  [{ path: '/book' }, "openapi.path: '/book' is the path of the resource 'book' already; choose another one"],
  [{ idPrefix: 'a b' }, "openapi.idPrefix: must be of letters, digits, '.', '_' and '-' only, not 'a b'"],
])('the start refuses wrong options: %j', async (openapi, message) => {
  const { serve } = openApp()
  await expect(serve({ openapi })).rejects.toThrow(message)
})
