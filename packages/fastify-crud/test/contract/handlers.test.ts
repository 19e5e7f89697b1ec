import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId, noIdInPath, withIntegerIds } from '../../../../test/support/test-ids.ts'
import { plainProduct, product } from './models/product.ts'

describeOnBoth('a replaced endpoint', (database) => {
  const called: string[] = []
  const service = useApp(database, product, {
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            handler(request, reply) {
              called.push(request.url)
              reply.send({ mine: (request.params as { id: unknown }).id })
            },
          },
          create: {
            access: { action: 'Add' },
            async handler(_, reply) {
              await Promise.resolve()
              reply.code(202).header('x-queue', '1').send({ queued: true })
            },
          },
          replace: {
            access: { action: 'Edit', id: 'id' },
            handler(request, reply) {
              called.push(request.url)
              reply.code(418).send()
            },
          },
        },
      },
    },
  })
  let id: unknown

  beforeEach(async () => {
    called.length = 0
    id = chosenId('product')
    await service.db.insertInto('product').values({ id, name: 'a', stock: 7 }).execute()
  })

  test('the handler answers with `reply`; the method and path stay', async () => {
    const answer = await service.get(`/api/product/${id}`)
    expect(answer.status).toBe(200)
    expect(`${answer.body.mine}`).toBe(`${id}`)
    expect(called).toEqual([`/api/product/${id}`])
  })

  test('HEAD is answered by the handler too', async () => {
    expect((await service.request('HEAD', `/api/product/${id}`)).status).toBe(200)
    expect(called).toEqual([`/api/product/${id}`])
  })

  test('status and headers are those of `reply`', async () => {
    const answer = await service.post('/api/product', { name: 'b' })
    expect(answer.status).toBe(202)
    expect(answer.headers['x-queue']).toBe('1')
    expect(answer.body).toEqual({ queued: true })
    expect((await service.read('/api/product')).count).toBe(1)
  })

  test('the other endpoints are the predefined ones', async () => {
    expect((await service.patch(`/api/product/${id}`, { name: 'c' })).body.name).toBe('c')
    expect((await service.delete(`/api/product/${id}`)).status).toBe(204)
  })

  test('the predefined endpoint is not reachable by its other path', async () => {
    const before = await service.snapshot()
    for (const path of ['/api/product', `/api/product/${id}`]) {
      expect((await service.put(path, { id, name: 'c' })).status).toBe(418)
    }
    expect((await service.post(`/api/product/${chosenId('product')}`, { name: 'c' })).status).toBe(202)
    expect(await service.snapshot()).toEqual(before)
  })

  test('another spelling of the path reaches the handler, or is refused, but never reaches the predefined endpoint', async () => {
    const statuses = {
      [`/api/%70roduct/${id}`]: 200,
      [`/api/product/${encodedAtFirst(id)}`]: 200,
      [`/api/product/./${id}`]: 200,
      [`/api/x/../product/${id}`]: 200,
      [`/api/product/${id}?`]: 200,
      [`/api/product/${id}#x`]: 200,
      [`/api/product/${id}${noIdInPath}`]: 400,
      [`/api/product/${id}/`]: 404,
      [`//api/product/${id}`]: 404,
      [`/api//product/${id}`]: 404,
      [`/api/product//${id}`]: 404,
      [`/API/product/${id}`]: 404,
      [`/api/Product/${id}`]: 404,
      [`/api/product%2F${id}`]: 404,
    }
    for (const [path, expected] of Object.entries(statuses)) {
      for (const method of ['GET', 'HEAD']) {
        called.length = 0
        const { status, body } = await service.request(method, path)
        expect([status, called.length], `${method} ${path}`).toEqual([expected, expected === 200 ? 1 : 0])
        expect(body?.name, path).toBeUndefined()
      }
    }
  })
})

/** The first character of the id as an escape. */
function encodedAtFirst(id: unknown): string {
  const [first, ...others] = `${id}`
  return `%${first?.charCodeAt(0).toString(16)}${others.join('')}`
}

describeOnBoth('a replaced endpoint of a resource whose ids are integers', (database) => {
  let calls = 0
  const service = useApp(database, withIntegerIds(product), {
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            handler(_request, reply) {
              calls += 1
              reply.send({})
            },
          },
        },
      },
    },
  })

  test('is not reached by what is nearly an integer', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const wrong of [`0${id}`, `${id};x`, `${id}%20`]) {
      await service.refuse('GET', `/api/product/${wrong}`, undefined, { code: 'CRUD_ERR_INVALID' })
    }
    expect(calls).toBe(0)
  })
})

describeOnBoth('a replaced endpoint of an app that is lenient about paths', (database) => {
  const service = useApp(database, product, {
    fastify: { routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } },
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            handler: (_, reply) => void reply.send({ mine: true }),
          },
        },
      },
    },
  })

  test('the predefined endpoint is not reachable by another spelling of the path', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const path of [`/API/PRODUCT/${id}`, `/api/product/${id}/`, `/api//product/${id}`]) {
      const { body } = await service.get(path)
      expect(body.name).toBeUndefined()
    }
  })
})

describeOnBoth('the access of a replaced endpoint', (database) => {
  let allow = true
  let asked: JsonBody[] = []
  let runs = 0
  const service = useApp(database, product, {
    plugin: {
      authorize(_, { action, resource, operation, id }) {
        asked.push({ action, resource, operation, id })
        return allow
      },
      handlers: {
        product: {
          findOne: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, _reply, next) {
              runs += 1
              await next()
            },
          },
        },
      },
    },
  })

  beforeEach(() => {
    allow = true
    asked = []
    runs = 0
  })

  test('is checked before the handler runs', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    allow = false
    await service.refuse('GET', `/api/product/${id}`, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    expect(runs).toBe(0)
    allow = true
    expect(await service.read(`/api/product/${id}`)).toEqual({ id, ...plainProduct('a') })
    expect(runs).toBe(1)
  })

  test('names the action, and the path parameter that holds the id', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    asked = []
    await service.get(`/api/product/${id}`)
    expect(asked[0]).toEqual({ action: 'Edit', resource: 'product', operation: 'findOne', id })
  })

  test('an id that is not one is 400, and the predefined 404 stays', async () => {
    await service.refuse('GET', `/api/product/${noIdInPath}`, undefined, { code: 'CRUD_ERR_INVALID' })
    expectProblem(await service.get(`/api/product/${missingId('product')}`), { code: 'CRUD_ERR_NOT_FOUND' })
  })
})
