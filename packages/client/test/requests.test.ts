import { type ClientOptions, createClient, ServiceError } from '@fastify-crud/client'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { actions, shop } from './shop.ts'
import { useService } from './use-service.ts'

/** What the service does to its next requests, in their order: nothing more when these are over. */
let trouble: (
  | 'lose the answer'
  | 'lose the request'
  | 'be busy'
  | 'be busy for a second'
  | 'refuse the caller'
  | 'know no outcome'
)[] = []
let keys: unknown[] = []
let tokens: unknown[] = []

beforeEach(() => {
  trouble = []
  keys = []
  tokens = []
})

const outcomeUnknown = { code: 'CRUD_ERR_OUTCOME_UNKNOWN', detail: 'nobody knows', status: 500 }

describeOnBoth('requests of a client', (database) => {
  const service = useService(database, shop, { actions } as never, (app) => {
    app.addHook('preHandler', async (request, reply) => {
      if (request.url.endsWith('/$model')) return
      keys.push(request.headers['idempotency-key'])
      tokens.push(request.headers.authorization)
      switch (trouble[0]) {
        case 'lose the request':
          trouble.shift()
          request.raw.socket.destroy()
          return reply.hijack()
        case 'be busy':
          trouble.shift()
          return await reply.code(503).send()
        case 'be busy for a second':
          trouble.shift()
          return await reply.code(503).header('retry-after', '1').send()
        case 'refuse the caller':
          trouble.shift()
          return await reply.code(401).send()
        case 'know no outcome':
          trouble.shift()
          return await reply.code(500).type('application/problem+json').send(JSON.stringify(outcomeUnknown))
      }
    })
    app.addHook('onSend', async (request) => {
      if (trouble[0] !== 'lose the answer' || request.url.endsWith('/$model')) return
      trouble.shift()
      request.raw.socket.destroy()
    })
  })
  const client = (options: Partial<ClientOptions> = {}) =>
    createClient<typeof shop, typeof actions>({ url: service.url, ...options })

  describe('that fail', () => {
    test('are sent again with their keys, and are done once', async () => {
      const api = client()
      trouble = ['lose the answer', 'lose the request', 'know no outcome']
      const tag = await api.tag.create({ id: 'a', name: 'x' })
      expect(tag).toMatchObject({ id: 'a', name: 'x' })
      expect(keys).toHaveLength(4)
      expect(new Set(keys).size).toBe(1)
      expect(String(keys[0])).toMatch(/^[0-9a-f]{32}$/)
      trouble = ['lose the answer']
      const { id } = await api.publisher.create({ name: 'Ink' })
      trouble = ['lose the answer']
      const book = await api.book.create({
        title: 'a',
        publisherId: id,
        authors: [await api.author.create({ name: 'b' })],
      })
      trouble = ['lose the answer']
      expect(await api.book.patch(book, { price: { $add: 2 } })).toMatchObject({ price: 2 })
      const invoice = await api.invoice.create({ total: 1 })
      trouble = ['lose the answer']
      expect(await api.invoice.act(invoice, 'pay', { by: 'Ada' })).toMatchObject({ status: 'paid by Ada' })
      expect(await api.publisher.list()).toMatchObject({ count: 1 })
    })

    test('are sent again if they only read, without a key', async () => {
      const api = client()
      trouble = ['lose the answer', 'be busy', 'lose the request']
      expect(await api.tag.list()).toMatchObject({ count: 0 })
      expect(keys).toEqual([undefined, undefined, undefined, undefined])
      trouble = ['be busy']
      expect(await api.invoice.act('sums', undefined, { query: { above: [0] } })).toEqual([0])
    })

    test('are never sent again if they are a PUT or a DELETE', async () => {
      const api = client()
      const tag = await api.tag.create({ id: 'a', name: 'x' })
      trouble = ['lose the answer']
      await expect(api.tag.replace(tag, { name: 'y' })).rejects.toThrow(TypeError)
      trouble = ['be busy']
      await expect(api.tag.delete('a')).rejects.toMatchObject({ status: 503 })
      trouble = ['lose the request']
      await expect(api.tag.upsert({ id: 'a', name: 'x' }, { by: ['id'] })).rejects.toThrow(TypeError)
    })

    test('are sent again as often as the options say, and reject with what came last', async () => {
      trouble = ['be busy', 'lose the request', 'be busy']
      await expect(client({ retries: 2 }).tag.list()).rejects.toMatchObject({ status: 503 })
      trouble = ['lose the request', 'be busy']
      const error = await client()
        .tag.list({ retries: 0 })
        .catch((one: unknown) => one)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).not.toBeInstanceOf(ServiceError)
      trouble = []
      expect(keys).toHaveLength(4)
    })

    test('wait as long as the service says', async () => {
      trouble = ['be busy for a second']
      const begun = performance.now()
      await client().tag.list()
      expect(performance.now() - begun).toBeGreaterThan(1_000)
    })

    test('end when they are aborted, and while they wait', async () => {
      const reason = new Error('enough')
      await expect(client().tag.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
      trouble = ['be busy for a second']
      const begun = performance.now()
      const stop = new AbortController()
      setTimeout(() => stop.abort(reason), 50)
      await expect(client().tag.list({ signal: stop.signal })).rejects.toBe(reason)
      expect(performance.now() - begun).toBeLessThan(900)
    })
  })

  describe('with headers', () => {
    test('that are given, or made for each request', async () => {
      let token = 0
      const headers = async () => {
        token += 1
        return { authorization: `Bearer ${token}` }
      }
      const api = client({ headers })
      await api.tag.list()
      await api.tag.list({ headers: { 'x-own': 'a' } })
      await client({ headers: { authorization: 'Bearer x' } }).tag.list()
      // A request that an earlier test has given up may still be on its way: it has none.
      expect(tokens.filter((one) => one !== undefined)).toEqual(['Bearer 2', 'Bearer 3', 'Bearer x'])
    })

    test('that are out of date: the application is told once for all of them, and they are sent again', async () => {
      let token = 'old'
      let told = 0
      const api = client({
        headers: () => ({ authorization: token }),
        onUnauthorized: async () => {
          told += 1
          await new Promise((resolve) => setTimeout(resolve, 50))
          token = 'new'
          return true
        },
      })
      await api.model()
      trouble = ['refuse the caller', 'refuse the caller', 'refuse the caller']
      const all = await Promise.all([api.tag.list(), api.tag.create({ id: 'a', name: 'x' }), api.book.list()])
      expect(all[1]).toMatchObject({ id: 'a' })
      expect(told).toBe(1)
      expect(tokens).toEqual(['old', 'old', 'old', 'new', 'new', 'new'])
      trouble = ['refuse the caller', 'refuse the caller']
      await expect(api.tag.list()).rejects.toMatchObject({ status: 401 })
      expect(told).toBe(2)
    })

    test('without the option, a 401 is an error', async () => {
      trouble = ['refuse the caller']
      await expect(client().tag.list()).rejects.toMatchObject({ name: 'ServiceError', status: 401 })
      let told = 0
      const onUnauthorized = () => {
        told += 1
      }
      trouble = ['refuse the caller']
      await expect(client({ onUnauthorized }).tag.list()).rejects.toMatchObject({ status: 401 })
      expect(told).toBe(1)
    })
  })

  describe('know the model', () => {
    const models = () => service.requests().filter((request) => request === 'GET /$model').length

    test('which is read once, when it is needed first', async () => {
      const api = client()
      expect(models()).toBe(0)
      await Promise.all([api.tag.list(), api.book.list(), api.tag.list()])
      expect(models()).toBe(1)
      api.reset()
      await api.tag.list()
      expect(models()).toBe(1)
    })

    test('which is given', async () => {
      const model = await client().model()
      service.requests()
      await client({ model: JSON.parse(JSON.stringify(model)) }).tag.list()
      expect(models()).toBe(0)
      expect(() => client({ model: { model: 2 } })).toThrow('this client reads version 1, and the service has 2')
    })

    test('which is read anew after a 401, and when the service has another one', async () => {
      const api = client()
      await api.tag.list()
      trouble = ['refuse the caller']
      await expect(api.tag.list()).rejects.toMatchObject({ status: 401 })
      await api.tag.list()
      expect(models()).toBe(2)
      const old = client({ model: { ...(await api.model()), hash: 'of yesterday' } })
      await old.tag.create({ id: 'b', name: 'x' })
      expect(models()).toBe(0)
      await old.tag.list()
      await old.tag.list()
      expect(models()).toBe(1)
    })

    test('which nobody knows: the request fails, and the next one asks again', async () => {
      let isThere = false
      const fetchIt: typeof fetch = async (input, init) =>
        isThere
          ? await fetch(input, init)
          : new Response('{"detail":"no such path"}', { status: 404, headers: { 'content-type': 'application/json' } })
      const api = client({ fetch: fetchIt })
      await expect(api.tag.list()).rejects.toMatchObject({ status: 404, message: 'no such path' })
      isThere = true
      expect(await api.tag.list()).toMatchObject({ count: 0 })
    })
  })

  test('a service that is not there rejects with the error of fetch, and what is no JSON with its text', async () => {
    const nowhere = client({ url: 'http://127.0.0.1:1/api', retries: 0 })
    await expect(nowhere.tag.list()).rejects.toThrow(TypeError)
    const html = async () =>
      new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
    await expect(client({ fetch: html }).tag.list()).rejects.toMatchObject({
      status: 502,
      code: 'ERR_HTTP',
      message: '<h1>Bad Gateway</h1>',
    })
  })
})

describeOnBoth('requests of a client whose keys nobody knows', (database) => {
  const service = useService(database, shop, { caller: () => ({}) } as never, (app) => {
    app.addHook('preHandler', async ({ headers, url }) => {
      if (!url.endsWith('/$model')) keys.push(headers['idempotency-key'])
    })
  })

  test('have none', async () => {
    const api = createClient<typeof shop>({ url: service.url })
    await api.tag.create({ id: 'a', name: 'x' })
    expect(keys).toEqual([undefined])
  })
})
