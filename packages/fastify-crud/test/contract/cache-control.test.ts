import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { type AppOptions, type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { missingId, withAssignedIds } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

/** Requests to all kinds of answers, with their status. */
const requests: readonly [method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS', path: string, status: number, body?: object][] =
  [
    ['GET', '/api/product', 200],
    ['HEAD', '/api/product', 200],
    ['POST', '/api/product', 201, { name: 'a', price: 1 }],
    ['POST', '/api/product', 400, { nothing: 1 }],
    ['GET', `/api/product/${missingId('product')}`, 404],
    ['OPTIONS', '/api/product', 405],
    ['GET', '/api/nothing/here', 404],
    ['GET', '/api/openapi.json', 200],
  ]

const openapi = { path: '/openapi.json' }

async function cacheControls({ fastify }: TestApp): Promise<unknown[]> {
  const found = []
  for (const [method, url, status, body] of requests) {
    const payload = body === undefined ? {} : { payload: body }
    // The document does not describe itself, so its answer cannot be compared with it.
    const { statusCode, headers } = await fastify.inject({ method, url, ...payload })
    expect(statusCode, `${method} ${url}`).toBe(status)
    found.push(headers['cache-control'])
  }
  return found
}

describeOnBoth('`Cache-Control`', (database) => {
  describe.each<[string, NonNullable<AppOptions['plugin']>]>([
    ['caller', { openapi, caller: () => ({ id: 7 }) }],
    ['authorize', { openapi, authorize: () => true }],
  ])('with the option `%s`', (_option, plugin) => {
    const service = useApp(database, withAssignedIds(product), { plugin })

    test('says of every answer that it is for the caller alone, of errors too', async () => {
      expect(new Set(await cacheControls(service))).toEqual(new Set(['private, no-cache']))
    })
  })

  describe('without callers', () => {
    const service = useApp(database, withAssignedIds(product), { plugin: { openapi } })

    test('is left to the application', async () => {
      expect(new Set(await cacheControls(service))).toEqual(new Set([undefined]))
    })
  })

  describe('of the application', () => {
    const service = useApp(database, withAssignedIds(product), {
      before(app: FastifyInstance) {
        app.addHook('onRequest', async ({ query }, reply) => {
          if (query !== null && 'login' in (query as object))
            throw Object.assign(new Error('who?'), { statusCode: 401 })
          if (query !== null && 'kept' in (query as object)) return reply.send([])
          reply.header('cache-control', 'no-store')
        })
      },
      plugin: {
        openapi: { responses: { 401: { description: 'Who are you?' } } },
        caller: () => ({ id: 7 }),
        handlers: {
          product: {
            list: {
              access: { action: 'View' },
              async handler(_request, reply, next) {
                await next()
                reply.header('cache-control', 'public, max-age=60')
              },
            },
          },
        },
      },
    })

    test('stays, whether a hook or a handler has set it', async () => {
      expect((await service.get('/api/product')).headers['cache-control']).toBe('public, max-age=60')
      expect((await service.get('/api/product/1')).headers['cache-control']).toBe('no-store')
    })

    test('is ours where a hook has answered the request by itself', async () => {
      const { status, headers } = await service.get('/api/product?kept=1')
      expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache'])
    })

    test('is ours where a hook has refused the request before', async () => {
      const { status, headers } = await service.get('/api/product?login=1')
      expect([status, headers['cache-control']]).toEqual([401, 'private, no-cache'])
    })
  })
})
