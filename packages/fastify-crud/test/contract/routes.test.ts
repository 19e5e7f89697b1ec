import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { createTables, crudPlugin, defineResources, knows, ownedBy, owns, type Routes } from 'fastify-crud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'

const [anyDatabase] = databases as [TestDatabase]

const resources = defineResources({
  book: {
    fields: { title: Type.String() },
    relations: { chapters: owns.many('chapter'), authors: knows.many('author') },
    groups: true,
  },
  chapter: { fields: { text: Type.String() }, relations: { book: ownedBy('book') }, topLevel: true },
  author: { fields: { name: Type.String() } },
  // Its table is not needed.
  stock: { fields: { count: Type.Integer() }, writable: false },
})

/** As plugins see routes that configure them one by one. */
function seenRoutes(app: FastifyInstance): RouteOptions[] {
  const seen: RouteOptions[] = []
  app.addHook('onRoute', (route) => void seen.push(route))
  return seen
}

function ofCrud(routes: readonly RouteOptions[]): string[] {
  return routes.flatMap((route) => {
    const crud = route.config?.crud
    return crud === undefined ? [] : `${route.method} ${route.url} ${crud.resource}.${crud.operation}`
  })
}

describe('Fastify', () => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await anyDatabase.open()
    await createTables(open.db, resources)
  })
  afterAll(() => open.close())

  async function started(routes: Routes<typeof resources> = {}, before?: (app: FastifyInstance) => void) {
    const app = Fastify()
    const seen = seenRoutes(app)
    before?.(app)
    await app.register(crudPlugin, {
      db: open.db,
      resources,
      routes,
      tables: 'off',
      openapi: { path: '/openapi.json' },
    })
    await app.ready()
    return { app, seen }
  }

  test('has a route for each method of a path, whose config says what it is for', async () => {
    const { app, seen } = await started()
    expect(ofCrud(seen).filter((one) => one.includes(' /api/book'))).toEqual([
      'GET /api/book book.list',
      'HEAD /api/book book.list',
      'POST /api/book book.create',
      'PUT /api/book book.replace',
      'PATCH /api/book book.patch',
      'DELETE /api/book book.delete',
      'POST /api/book/$list book.list',
      'GET /api/book/$group book.list',
      'HEAD /api/book/$group book.list',
      'POST /api/book/$group book.list',
      'GET /api/book/:id book.findOne',
      'HEAD /api/book/:id book.findOne',
      'POST /api/book/:id book.create',
      'PUT /api/book/:id book.replace',
      'PATCH /api/book/:id book.patch',
      'DELETE /api/book/:id book.delete',
      'GET /api/book/:id/authors book.findOne',
      'HEAD /api/book/:id/authors book.findOne',
      'PUT /api/book/:id/authors/:author_id book.patch',
      'DELETE /api/book/:id/authors/:author_id book.patch',
      ...['GET', 'HEAD'].map((method) => `${method} /api/book/:book_id/chapter chapter.list`),
      'POST /api/book/:book_id/chapter chapter.create',
      'PUT /api/book/:book_id/chapter chapter.replace',
      'PATCH /api/book/:book_id/chapter chapter.patch',
      'DELETE /api/book/:book_id/chapter chapter.delete',
      'POST /api/book/:book_id/chapter/$list chapter.list',
      ...['GET', 'HEAD'].map((method) => `${method} /api/book/:book_id/chapter/:id chapter.findOne`),
      'POST /api/book/:book_id/chapter/:id chapter.create',
      'PUT /api/book/:book_id/chapter/:id chapter.replace',
      'PATCH /api/book/:book_id/chapter/:id chapter.patch',
      'DELETE /api/book/:book_id/chapter/:id chapter.delete',
    ])
    expect(ofCrud(seen).filter((one) => one.includes(' /api/stock'))).toEqual([
      'GET /api/stock stock.list',
      'HEAD /api/stock stock.list',
      'POST /api/stock/$list stock.list',
      'GET /api/stock/:id stock.findOne',
      'HEAD /api/stock/:id stock.findOne',
    ])
    expect(ofCrud(seen)).toContain('GET /api/chapter/:id chapter.findOne')
    // The routes of all other methods, and of the document, are no resource's.
    const others = seen.filter((route) => route.config?.crud === undefined)
    expect(others.filter(({ url }) => url === '/api/book').map(({ method }) => method)).toEqual([
      expect.arrayContaining(['OPTIONS', 'TRACE']),
    ])
    expect(others.map(({ url, method }) => `${method} ${url}`)).toContain('GET /api/openapi.json')
    const lines = app.printRoutes({ includeHooks: true, commonPrefix: false }).split('\n')
    const stock = lines.findIndex((line) => line.endsWith('/api/stock (GET, HEAD)'))
    expect(stock).toBeGreaterThan(0)
    expect(lines[stock + 1]).toContain('PUT, POST')
    expect(lines[stock + 2]).toContain('• (onRequest) ["methodNotAllowed()"]')
    await app.close()
  })

  test('gives its routes what the application says for an operation, on all of its paths', async () => {
    const mine = { rateLimit: { max: 3 } }
    const { app, seen } = await started({
      chapter: { list: { config: mine, logLevel: 'warn' } },
      book: { patch: { config: mine } },
    })
    const configured = seen.filter(({ config }) => config !== undefined && 'rateLimit' in config)
    expect(configured.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PATCH /api/book',
      'PATCH /api/book/:id',
      'PUT /api/book/:id/authors/:author_id',
      'DELETE /api/book/:id/authors/:author_id',
      'GET /api/book/:book_id/chapter',
      'HEAD /api/book/:book_id/chapter',
      'POST /api/book/:book_id/chapter/$list',
      'GET /api/chapter',
      'HEAD /api/chapter',
      'POST /api/chapter/$list',
    ])
    expect(configured.map(({ logLevel }) => logLevel ?? 'info').filter((level) => level === 'warn')).toHaveLength(6)
    expect(app.hasRoute({ method: 'GET', url: '/api/chapter' })).toBe(true)
    await app.close()
  })

  test('lets a plugin add hooks to some routes, without these reaching others', async () => {
    const counts = new Map<string, number>()
    const own = async () => void counts.set('own', (counts.get('own') ?? 0) + 1)
    const { app } = await started({ book: { list: { onRequest: [own] }, findOne: { onRequest: [own] } } }, (app) => {
      // As @fastify/rate-limit does it.
      app.addHook('onRoute', (route) => {
        const name = `${route.method} ${route.url}`
        const hook = async () => void counts.set(name, (counts.get(name) ?? 0) + 1)
        if (Array.isArray(route.onRequest)) route.onRequest.push(hook)
        else route.onRequest = route.onRequest === undefined ? [hook] : [route.onRequest, hook]
      })
    })
    await app.inject('/api/book')
    await app.inject({ method: 'HEAD', url: '/api/book' })
    await app.inject('/api/author')
    expect(Object.fromEntries(counts)).toEqual({
      own: 2,
      'GET /api/book': 1,
      'HEAD /api/book': 1,
      'GET /api/author': 1,
    })
    await app.close()
  })

  test('refuses at the start what the application says of routes that are not there', async () => {
    const refused = async (routes: object) => {
      const app = Fastify()
      const failure = await app.register(crudPlugin, { db: open.db, resources, routes } as never).then(
        () => 'started',
        (error: Error) => error.message,
      )
      await app.close()
      return failure
    }
    expect(await refused({ bok: { list: {} } })).toBe(
      "routes.bok: no resource 'bok'; there are book, chapter, author, stock",
    )
    expect(await refused({ book: { get: {} } })).toBe(
      "routes.book.get: no operation 'get'; there are list, findOne, create, replace, patch, delete",
    )
    expect(await refused({ stock: { create: {} } })).toMatch(/^routes\.stock\.create: there is no such route/)
    expect(await refused({ book: { list: 1 } })).toMatch(/^routes\.book\.list: must be an object/)
    expect(await refused({ book: { list: { schema: {} } } })).toMatch(/^routes\.book\.list\.schema: no such setting/)
    expect(await refused({ book: { list: { onRequest: ['x'] } } })).toMatch(/^routes\.book\.list\.onRequest: must be a/)
    expect(await refused({ book: { list: { config: { crud: {} } } } })).toBe(
      'routes.book.list.config.crud: the plugin sets it itself',
    )
  })
})

describeOnBoth('hooks of the routes of an operation', (database) => {
  const ran: string[] = []
  const service = useApp(database, withAssignedIds(resources), {
    plugin: {
      tables: 'off',
      openapi: { responses: { 401: { description: 'No.', content: { 'application/json': { schema: {} } } } } },
      routes: {
        book: {
          create: {
            onRequest(request, reply, done) {
              ran.push('onRequest')
              if (request.headers['x-key'] === 'no') reply.code(401).send({ mine: true })
              else done()
            },
            preValidation: [async (request) => void ran.push(`preValidation ${JSON.stringify(request.body)}`)],
            preHandler(request, _reply, done) {
              const { resource, operation } = request.routeOptions.config.crud ?? {}
              ran.push(`preHandler of ${resource}.${operation}`)
              done(
                request.headers['x-key'] === 'late'
                  ? Object.assign(new Error('too late'), { statusCode: 409 })
                  : undefined,
              )
            },
            onSend: async (_request, _reply, payload) => `${payload} `,
            onError: async (_request, _reply, error) => void ran.push(`onError ${error.message}`),
          },
        },
      },
    },
  })

  test('run before the plugin does anything, and for no other operation', async () => {
    ran.length = 0
    const created = await service.post('/api/book', { title: 'a' })
    expect(created.status).toBe(201)
    expect(ran).toEqual(['onRequest', 'preValidation {"title":"a"}', 'preHandler of book.create'])
    ran.length = 0
    expect((await service.get('/api/book')).status).toBe(200)
    expect((await service.post('/api/author', { name: 'a' })).status).toBe(201)
    expect(ran).toEqual([])
  })

  test('may answer themselves, and before a wrong media type is refused', async () => {
    const answer = await service.fastify.inject({
      method: 'POST',
      url: '/api/book',
      headers: { 'x-key': 'no', 'content-type': 'text/plain' },
      payload: 'x',
    })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual({ mine: true })
    expect((await service.read('/api/book')).count).toBe(0)
  })

  test('what they throw is answered as a problem, and onError sees it', async () => {
    ran.length = 0
    const answer = await service.request('POST', '/api/book', { title: 'a' }, { 'x-key': 'late' })
    expect(answer.status).toBe(409)
    expect(answer.headers['content-type']).toMatch(/problem\+json/)
    expect(ran.at(-1)).toBe('onError too late')
    expect((await service.read('/api/book')).count).toBe(0)
  })
})

describeOnBoth("the application's error handler", (database) => {
  test('is not asked below the prefix, but its hook onError is', async () => {
    const reported: string[] = []
    const service = await buildApp(database, resources, {
      plugin: { tables: 'off' },
      before(app) {
        app.setErrorHandler((_error, _request, reply) => reply.code(418).send('mine'))
        app.addHook('onError', async (_request, _reply, error) => void reported.push(error.message))
      },
    })
    const answer = await service.get('/api/book?limit=0')
    expectProblem(answer, { code: 'CRUD_ERR_INVALID' })
    expect(reported).toHaveLength(1)
    await service.close()
  })
})
