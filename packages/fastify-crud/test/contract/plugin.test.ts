import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import fastifyCrud, { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

const order = defineResources({ order: { fields: { name: Type.String() } } })

describeOnBoth('the plugin in an application', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, product)
    await createTables(open.db, order)
  })
  afterAll(() => open.close())

  test('is the default and a named export', () => {
    expect(fastifyCrud).toBe(crudPlugin)
  })

  test('registered twice with different prefixes in one app', async () => {
    const app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: product, prefix: '/shop' })
    await app.register(crudPlugin, { db: open.db, resources: order, prefix: '/desk', decorator: 'desk' })
    const post = (url: string) => app.inject({ method: 'POST', url, payload: { name: 'a' } })
    expect((await post('/shop/product')).statusCode).toBe(201)
    expect((await post('/desk/order')).statusCode).toBe(201)
    for (const url of ['/shop/order', '/desk/product', '/api/product']) expect((await post(url)).statusCode).toBe(404)
    await app.close()
  })

  test('the same model twice with different prefixes', async () => {
    const app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: product, prefix: '/v1' })
    await app.register(crudPlugin, {
      db: open.db,
      resources: product,
      prefix: '/v2',
      authorize: () => false,
      decorator: false,
    })
    expect((await app.inject('/v1/product')).statusCode).toBe(200)
    expect((await app.inject('/v2/product')).statusCode).toBe(403)
    await app.close()
  })

  test('refuses a prefix that has these routes already, and says what to do', async () => {
    const options = { db: open.db, resources: product, prefix: '/shop' }
    const message = "prefix: '/shop' has the route /shop/product already; give this registration another prefix"
    const twice = Fastify()
    await twice.register(crudPlugin, options)
    await expect(twice.register(crudPlugin, { ...options, decorator: false })).rejects.toThrow(message)
    await twice.close()
    const beside = Fastify()
    beside.post('/shop/product', () => 'mine')
    await expect(beside.register(crudPlugin, options)).rejects.toThrow(message)
    await beside.close()
  })

  test("leaves the application's own routes alone", async () => {
    const app = Fastify()
    app.setErrorHandler((error, _, reply) => reply.code(500).send({ mine: (error as Error).message }))
    app.setNotFoundHandler((_, reply) => reply.code(404).send({ mine: true }))
    const schema = { body: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false } }
    app.post('/own', { schema }, (request) => request.body)
    app.get('/fail', () => Promise.reject(new Error('own')))
    await app.register(crudPlugin, { db: open.db, resources: product })
    const coerced = await app.inject({ method: 'POST', url: '/own', payload: { n: '5', x: 1 } })
    expect(coerced.json()).toEqual({ n: 5 })
    expect((await app.inject('/fail')).json()).toEqual({ mine: 'own' })
    expect((await app.inject('/nothing')).json()).toEqual({ mine: true })
    expect((await app.inject('/api/nothing')).json()).toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await app.close()
  })

  test("the application's hooks run for its routes", async () => {
    const app = Fastify()
    const urls: string[] = []
    app.addHook('onRequest', async (request) => void urls.push(request.url))
    await app.register(crudPlugin, { db: open.db, resources: product })
    await app.inject('/api/product')
    expect(urls).toEqual(['/api/product'])
    await app.close()
  })

  test('closing the application leaves the database open: it is not the plugin’s', async () => {
    const app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: product })
    await app.close()
    expect(await open.db.selectFrom('product').selectAll().execute()).toBeInstanceOf(Array)
  })
})
