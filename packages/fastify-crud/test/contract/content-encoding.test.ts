import { brotliCompressSync, createGunzip, deflateSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

const [anyDatabase] = databases as [TestDatabase]
const text = '{"name":"a"}'

async function post({ fastify }: TestApp, payload: string | Buffer, encoding: string) {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
  const answer = await fastify.inject({ method: 'POST', url: '/api/product', headers, payload })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

describeOnBoth('the content encoding of a body', (database) => {
  const service = useApp(database, withAssignedIds(product))

  for (const [encoding, body] of [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip', text],
    ['identity, gzip', text],
    ['unheard-of', text],
  ] as const) {
    const what = typeof body === 'string' ? 'that is said of plain JSON' : 'that nobody decodes'
    test(`${what} is 415, and nothing is stored: ${encoding}`, async () => {
      const answer = await post(service, body, encoding)
      expectProblem(answer, { code: 'CRUD_ERR_BODY', status: 415, detail: /content-encoding/ })
      expect((await service.read('/api/product')).count).toBe(0)
    })
  }

  test('may be identity', async () => {
    for (const encoding of ['identity', 'Identity', '']) {
      expect((await post(service, text, encoding)).status).toBe(201)
    }
  })

  test('means nothing to GET and HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.request(method, '/api/product', undefined, { 'content-encoding': 'gzip' })
      expect(answer.status).toBe(200)
    }
  })
})

/** As `@fastify/compress` does it for every route that is added after it. */
function decodeByRoute(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const decode: typeof route.preParsing = (request, _reply, payload, done) =>
      done(null, request.headers['content-encoding'] === 'gzip' ? payload.pipe(createGunzip()) : payload)
    route.preParsing = [decode, ...[route.preParsing ?? []].flat()]
  })
}

function decodeByHook(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, _reply, payload) =>
    request.headers['content-encoding'] === 'gzip' ? payload.pipe(createGunzip()) : payload,
  )
}

function dropHeader(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    delete request.headers['content-encoding']
  })
}

describe.each([
  ['a hook of each route', decodeByRoute],
  ['a hook', decodeByHook],
])('a body that %s of the application decodes', (_, before) => {
  const service = useApp(anyDatabase, withAssignedIds(product), { before })

  test('is read', async () => {
    // A decoded body has another length than the header says; fastify asks hooks to tell, those of chunks need not.
    const { fastify } = service
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(`${fastify.listeningOrigin}/api/product`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Blob([gzipSync(text)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(201)
    expect(await answer.json()).toMatchObject({ name: 'a' })
  })

  test('is 415 if it is in an encoding that the hook does not know', async () => {
    expectProblem(await post(service, brotliCompressSync(text), 'br'), { code: 'CRUD_ERR_BODY', status: 415 })
  })
})

describe('a body whose content-encoding an earlier hook has removed', () => {
  const service = useApp(anyDatabase, withAssignedIds(product), { before: dropHeader })

  test('is read', async () => {
    expect((await post(service, text, 'gzip')).status).toBe(201)
  })
})
