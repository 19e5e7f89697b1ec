import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, type Store, sendProblem } from 'fastify-crud'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

const wrong = { name: 7, stock: 'one' }

describeOnBoth("an error of the store in the application's own route", (database) => {
  let open: OpenDatabase
  let app: FastifyInstance

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, product)
  })
  beforeEach(async () => {
    app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: product })
    const { product: products } = app.getDecorator<Store<typeof product>>('crud')
    app.post('/own', (request) => products.create(request.body as never))
    app.get('/own/:id', (request) => products.find(Number((request.params as { id: string }).id)))
    app.get('/fail', () => Promise.reject(new Error('a secret')))
  })
  afterEach(() => app.close())
  afterAll(() => open.close())

  const post = (url: string) => app.inject({ method: 'POST', url, payload: wrong })

  test('has its status and code, without `errors`, if nothing else is said', async () => {
    const answer = await post('/own')
    expect(answer.statusCode).toBe(400)
    expect(Object.keys(answer.json()).sort()).toEqual(['code', 'error', 'message', 'statusCode'])
    expect(answer.json().code).toBe('CRUD_ERR_INVALID')
    expect((await app.inject('/own/999')).statusCode).toBe(404)
  })

  test("is answered as the plugin's routes do, by sendProblem", async () => {
    app.setErrorHandler(sendProblem)
    const [own, predefined] = [await post('/own'), await post('/api/product')]
    expect(own.headers['content-type']).toBe(predefined.headers['content-type'])
    expect(own.statusCode).toBe(400)
    expect(own.json()).toEqual(predefined.json())
    expect(own.json().errors).toHaveLength(2)
    expect((await app.inject('/own/999')).json()).toEqual((await app.inject('/api/product/999')).json())
  })

  test('says nothing of what the client did not cause, by sendProblem', async () => {
    app.setErrorHandler(sendProblem)
    const { statusCode, payload } = await app.inject('/fail')
    expect(statusCode).toBe(500)
    expect(JSON.parse(payload)).toMatchObject({ code: 'CRUD_ERR_INTERNAL' })
    expect(payload).not.toContain('secret')
  })
})
